import { describe, expect, test } from 'bun:test'
import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { Catalog, type Model } from '#catalog/catalog.ts'
import type { Effort, ReasoningConfig } from '#catalog/records.ts'
import { efforts } from '#config/declared/routing-forms.ts'
import { ApiError } from '#errors/api-error.ts'
import type { JsonValue } from '#lib/json-value.ts'
import { aModel, aProvider } from '#test/support/store/store-records.ts'
import { checkEffort, readEffort, withEffort } from './reasoning.ts'

function thrownBy(act: () => unknown): ApiError {
  try {
    act()
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown
  }
  throw new Error('nothing was refused')
}

function modelThat(reasoning: ReasoningConfig | null): Model {
  const provider = aProvider({ kind: 'openai', baseUrl: 'http://127.0.0.1:1/v1', reasoning: null })
  const record = aModel(provider.id, { name: 'thinker', reasoning })
  return new Catalog({ providers: [provider], models: [record], inflightOverrides: [] }).models[0]!
}

describe('the effort of a request', () => {
  test('is one of the words, or none when it is left out', () => {
    for (const effort of efforts) expect(readEffort(effort)).toBe(effort)
    for (const value of [undefined, null]) expect(readEffort(value)).toBeNull()
  })

  test('that is not one of the words is 400 and names the words', () => {
    for (const value of ['', 'High', 'extreme', 7, true, {}, ['low']]) {
      const { status, code, detail, message } = thrownBy(() => readEffort(value))
      expect([status, code, detail.param]).toEqual([400, 'invalid_value', 'reasoning_effort'])
      for (const effort of efforts) expect(message).toContain(effort)
    }
  })

  test('that the model is known not to support is 400 before any upstream is called', () => {
    const model = modelThat({ efforts: ['low', 'high'], writes: [] })
    const { status, code, message } = thrownBy(() => checkEffort('max', model))
    expect([status, code]).toEqual([400, 'unsupported_value'])
    expect(message).toContain('low, high')
    expect(thrownBy(() => checkEffort('low', modelThat({ efforts: [], writes: [] }))).message).toContain('no reasoning')
    for (const effort of ['low', 'high', null] as const) checkEffort(effort, model)
  })

  test('is not judged for a model whose efforts are unknown', () => {
    for (const effort of efforts) checkEffort(effort, modelThat(null))
  })
})

describe('the body for the upstream', () => {
  const write = (pointer: string, values: Partial<Record<Effort, JsonValue>>) => ({ pointer, values })
  const config = (...writes: ReasoningConfig['writes']): ReasoningConfig => ({ efforts, writes })
  const written = (body: string, effort: Effort | null, reasoning: ReasoningConfig | null): string =>
    withEffort(Buffer.from(body), effort, reasoning).toString()

  test('is the very same bytes without an effort, without a configuration, and where the word is taken as it is', () => {
    const body = Buffer.from('{"reasoning_effort":"low","model":"m"}')
    const asIs = config(write('/reasoning_effort', { low: 'low', high: 'high' }))
    expect(withEffort(body, null, asIs)).toBe(body)
    expect(withEffort(body, 'low', null)).toBe(body)
    expect(withEffort(body, 'low', asIs)).toBe(body)
  })

  test('has another word in place of the client’s', () => {
    const other = config(write('/reasoning_effort', { xhigh: 'high' }))
    expect(JSON.parse(written('{"model":"m","reasoning_effort":"xhigh"}', 'xhigh', other))).toEqual({
      model: 'm',
      reasoning_effort: 'high',
    })
  })

  test('has a budget of tokens, a switch of the template, or both, in place of the word', () => {
    const both = config(
      write('/thinking', { low: { type: 'enabled', budget_tokens: 1024 } }),
      write('/chat_template_kwargs/enable_thinking', { none: false, low: true }),
    )
    expect(JSON.parse(written('{"reasoning_effort":"low","a":1}', 'low', both))).toEqual({
      a: 1,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      chat_template_kwargs: { enable_thinking: true },
    })
    expect(JSON.parse(written('{"reasoning_effort":"none"}', 'none', both))).toEqual({
      chat_template_kwargs: { enable_thinking: false },
    })
  })

  test('keeps what the client wrote beside it, to the byte', () => {
    const nested = config(write('/extra/deep/on', { high: 1 }))
    const body = '{"seed":18446744073709551615, "extra" : {"mine":[1.0], "deep":{"x":null}},"reasoning_effort":"high"}'
    expect(written(body, 'high', nested)).toBe(
      '{"seed":18446744073709551615, "extra" : {"mine":[1.0], "deep":{"on":1,"x":null}}}',
    )
  })

  test('has the word taken out where nothing is written for it', () => {
    expect(written('{"model":"m","reasoning_effort":"low"}', 'low', config())).toBe('{"model":"m"}')
  })

  test('is the JSON that the pointers describe, whatever the client sent', () => {
    const name = fc.constantFrom('a', 'b', 'reasoning', 'x/y', 'p~q')
    const path = fc.array(name, { minLength: 1, maxLength: 3 })
    const inside = fc.oneof(fc.jsonValue(), fc.dictionary(name, fc.dictionary(name, fc.integer())))
    fc.assert(
      fc.property(path, fc.jsonValue(), fc.dictionary(name, inside), (names, value, fields) => {
        const pointer = names.map((each) => `/${each.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
        const body = JSON.stringify({ ...fields, reasoning_effort: 'low' })
        const result: unknown = JSON.parse(written(body, 'low', config(write(pointer, { low: value as JsonValue }))))
        expect(result).toEqual(expected(JSON.parse(JSON.stringify(fields)), names, JSON.parse(JSON.stringify(value))))
      }),
    )
  })
})

/** The object with the value at the path; anything but an object on the way is replaced. */
function expected(fields: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  const isObject = typeof fields === 'object' && fields !== null && !Array.isArray(fields)
  const before = isObject ? (fields as Record<string, unknown>) : {}
  return { ...before, [name]: expected(before[name], rest, value) }
}
