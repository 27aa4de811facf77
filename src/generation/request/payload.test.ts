import { describe, expect, test } from 'bun:test'
import { ApiError } from '#errors/api-error.ts'
import { expectLinear } from '#test/support/growth.ts'
import { payloadSchema, readPayload } from './payload.ts'

function refusal(value: unknown): ApiError {
  try {
    readPayload(value, 1000)
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown
    throw thrown
  }
  throw new Error('it was taken')
}

const everyField = Object.keys(payloadSchema.shape).filter((name) => name !== 'text')

describe('a payload', () => {
  test('of nulls is the same as one without fields, and has the defaults of the interface', () => {
    const nulls = Object.fromEntries(everyField.map((name) => [name, null]))
    const payload = readPayload({ text: 'hi', ...nulls, a_field_of_tomorrow: null }, 1000)
    expect(payload).toEqual(readPayload({ text: 'hi' }, 1000))
    expect(payload).toMatchObject({ texts: ['hi'], isBatch: false, consumerGroup: 'primary', constraint: null })
    expect(payload.parameters).toEqual({
      maxNewTokens: 128,
      minNewTokens: 0,
      noRepeatNgramSize: 0,
      promptMaxTokens: null,
      repetitionPenalty: 1,
      temperature: 1,
      topK: 1,
      topP: 1,
      useChatTemplate: null,
      loraId: null,
      backend: null,
    })
  })

  test('with an array of one text is a batch', () => {
    expect(readPayload({ text: ['hi'] }, 1000)).toMatchObject({ texts: ['hi'], isBatch: true })
  })

  test('may hold a schema as text, and one that only says that there is JSON', () => {
    const schema = { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } }
    for (const sent of [schema, JSON.stringify(schema)])
      expect(readPayload({ text: 'a', json_schema: sent }, 1000).constraint).toEqual({ kind: 'json_schema', schema })
    expect(readPayload({ text: 'a', json_schema: true }, 1000).constraint).toEqual({ kind: 'json_schema', schema: {} })
  })

  test('may hold a schema that refers to itself, again and again', () => {
    const schema = { type: 'object', properties: { child: { anyOf: [{ type: 'null' }, { $ref: '#' }] } } }
    for (let round = 0; round < 3; round += 1)
      expect(readPayload({ text: 'a', json_schema: schema }, 1000).constraint).toMatchObject({ schema })
  })

  test('may hold properties that are called as keywords are, and any values in an enum', () => {
    const properties = {
      id: true,
      enum: { type: 'string' },
      default: { enum: [{ $ref: 'x' }, [1], 1, 1] },
      __proto__: {},
    }
    const schema = { type: 'object', properties, required: ['id'] }
    expect(readPayload({ text: 'a', json_schema: schema }, 1000).constraint).toMatchObject({ schema })
  })

  test('may hold references to parts of it by their place or anchor, in turn', () => {
    const $defs = {
      'a/b': { $ref: '#/$defs/c%20d' },
      'c d': { $ref: '#there' },
      e: { $anchor: 'there', type: 'string' },
    }
    const schema = { items: { $ref: '#/$defs/a~1b' }, $defs }
    expect(readPayload({ text: 'a', json_schema: schema }, 1000).constraint).toMatchObject({ schema })
  })

  test('may hold schemas of an older draft', () => {
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'array', items: [{ type: 'string' }] }
    expect(readPayload({ text: 'a', json_schema: schema }, 1000).constraint).toMatchObject({ schema })
  })
})

describe('422 that names the field', () => {
  const refused: readonly (readonly [value: unknown, param: string | null])[] = [
    [[], null],
    ['text', null],
    [{}, 'text'],
    [{ text: null }, 'text'],
    [{ text: 5 }, 'text'],
    [{ text: '' }, 'text'],
    [{ text: [] }, 'text'],
    [{ text: ['a', ''] }, 'text.1'],
    [{ text: ['a', 5] }, 'text.1'],
    [{ text: Array.from({ length: 1001 }, () => 'a') }, 'text'],
    [{ text: 'a', max_new_tokens: 0 }, 'max_new_tokens'],
    [{ text: 'a', max_new_tokens: 1.5 }, 'max_new_tokens'],
    [{ text: 'a', max_new_tokens: '5' }, 'max_new_tokens'],
    [{ text: 'a', min_new_tokens: -1 }, 'min_new_tokens'],
    [{ text: 'a', min_new_tokens: 200 }, 'min_new_tokens'],
    [{ text: 'a', sampling_topp: 1.5 }, 'sampling_topp'],
    [{ text: 'a', sampling_topk: -2 }, 'sampling_topk'],
    [{ text: 'a', sampling_temperature: -0.1 }, 'sampling_temperature'],
    [{ text: 'a', repetition_penalty: 0 }, 'repetition_penalty'],
    [{ text: 'a', use_chat_template: 'yes' }, 'use_chat_template'],
    [{ text: 'a', image_paths: 'a.png' }, 'image_paths'],
    [{ text: 'a', image_paths: [5] }, 'image_paths.0'],
    [{ text: 'a', consumer_group: 5 }, 'consumer_group'],
    [{ text: 'a', regex_string: 'a', json_schema: {} }, 'regex_string'],
  ]
  for (const [value, param] of refused) {
    test(JSON.stringify(value).slice(0, 60), () => {
      const error = refusal(value)
      expect([error.code, error.detail.param ?? null]).toEqual(['validation_failed', param])
    })
  }

  test('that nobody knows, instead of dropping it', () => {
    const error = refusal({ text: 'a', top_k: 5 })
    expect([error.code, error.detail.param]).toEqual(['unsupported_parameter', 'top_k'])
  })
})

describe('a value of a wrong type is refused in plain words, with the path of its field:', () => {
  const values: readonly unknown[] = [
    'a',
    '',
    -3.5,
    0.5,
    -7,
    1e300,
    true,
    {},
    { a: 1 },
    [],
    [5],
    [[]],
    ['a', null],
    [{ a: 1 }],
  ]
  for (const name of ['text', ...everyField]) {
    test(name, () => {
      const refused = values.flatMap((value) => {
        try {
          readPayload({ text: 'a', [name]: value }, 1000)
          return []
        } catch (thrown) {
          return [thrown as ApiError]
        }
      })
      expect(refused.length).toBeGreaterThan(0)
      for (const { code, message, detail } of refused) {
        expect(code).toMatch(/^(validation_failed|invalid_json_schema|invalid_regex)$/)
        expect(detail.param?.split('.')[0]).toBe(name)
        expect(message).toContain(code === 'validation_failed' ? `"${detail.param}"` : ' ')
        expect(message).not.toMatch(/Invalid input|received|nullish|[<>]=|Too (small|big)|undefined/)
      }
    })
  }
})

describe('a schema is refused', () => {
  let deep: object = { type: 'string' }
  for (let level = 0; level < 40; level += 1) deep = { properties: { a: deep } }
  const bottomless = JSON.parse(`${'[['.repeat(20_000)}${']]'.repeat(20_000)}`) as unknown
  const refused: Readonly<Record<string, unknown>> = {
    'that is a number': 5,
    'that is a list': [],
    'that nothing satisfies': false,
    'that is text and no JSON': '{',
    'whose keyword has a value of the wrong type': { type: 'strin' },
    'that leads to another document': { $ref: 'https://example.com/schema.json' },
    'that leads to a file': { properties: { a: { $ref: 'file:///etc/passwd' } } },
    'that leads nowhere': { $ref: '#/$defs/missing' },
    'that leads to what is not a schema': { $ref: '#/type', type: 'string' },
    'that leads to an anchor that is not there': { $ref: '#missing' },
    'that leads back to itself': { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    'that is nothing but itself': { $ref: '#' },
    'that names itself': { $id: 'https://example.com/a', type: 'string' },
    'with a pattern that can take exponential time': { type: 'string', pattern: '(a+)+$' },
    'with such a pattern in a property that is called as a keyword': {
      properties: { default: { pattern: '(a+)+$' } },
    },
    'with such a pattern for names': { patternProperties: { '(a+)+$': {} } },
    'that is nested too deep': deep,
    'that is bottomless': { enum: 5, items: { allOf: bottomless } },
    'that is too long': { description: 'x'.repeat(70_000) },
    'with too many parts': { properties: Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`p${at}`, {}])) },
  }
  for (const [what, schema] of Object.entries(refused)) {
    test(what, () => {
      const error = refusal({ text: 'a', json_schema: schema })
      expect([error.code, error.detail.param]).toEqual(['invalid_json_schema', 'json_schema'])
    })
  }
})

test('a catastrophic expression is refused before it runs', () => {
  for (const pattern of ['(a+)+$', '(', '(?=a)b', '(a)\\1', 'a{999999}']) {
    const error = refusal({ text: 'a', regex_string: pattern })
    expect([error.code, error.detail.param]).toEqual(['invalid_regex', 'regex_string'])
  }
})

describe('the cost of checking a JSON schema grows with its size only', () => {
  const words = (size: number): string =>
    Array.from({ length: size / 4 }, (_, at) => at.toString(36).padStart(3, 'x')).join('|')
  const named = (count: number, nameOf: (at: number) => string): object =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [nameOf(at), {}]))
  const families: Readonly<Record<string, (size: number) => unknown>> = {
    'many patterns': (size) => ({ patternProperties: named(size / 8, (at) => `${at}|${words(1600)}`) }),
    'many patterns of single characters': (size) => ({
      patternProperties: named(size / 8, (at) => `${at}${'|x'.repeat(900)}`),
    }),
    'many properties': (size) => ({ properties: named(size * 4, (at) => `p${at}`) }),
    'a long enumeration': (size) => ({ enum: Array.from({ length: size * 4 }, (_, at) => at) }),
    'a long list of required fields': (size) => ({ required: Array.from({ length: size * 4 }, (_, at) => `r${at}`) }),
  }
  for (const [what, make] of Object.entries(families)) {
    test(what, () =>
      expectLinear({
        from: 200,
        make: (size) => ({ text: 'a', json_schema: make(size) }),
        run: (sent) => refusal(sent),
      }),
    )
  }

  test('and all patterns together cost no more than one may', () => {
    const patternProperties = named(30, (at) => `${at}|${words(1600)}`)
    const error = refusal({ text: 'a', json_schema: { patternProperties } })
    expect([error.code, error.message]).toEqual(['invalid_json_schema', expect.stringContaining('too complex')])
  })
})
