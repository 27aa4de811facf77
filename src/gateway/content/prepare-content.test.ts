/** What is kept of bodies: redacted, without binary data, and within its size, whatever comes in. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { expectLinear } from '#test/support/growth.ts'
import { preparing } from './prepare-content.ts'

const all = { kinds: ['secrets', 'email', 'cards'], patterns: ['EMP-[0-9]{6}'], bytesMax: 1_000_000 }

function kept(body: unknown, rules = all, length?: number): { readonly text: string; readonly cut: boolean } {
  const bytes =
    typeof body === 'string' ? Buffer.from(body) : body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body))
  return preparing(rules)({ bytes, length: length ?? bytes.byteLength })
}

describe('redaction', () => {
  test.each([
    ['write to ada.lovelace+x@mail.example.org now', 'write to [email] now'],
    ['card 4111 1111 1111 1111 please', 'card [card] please'],
    ['card 4111-1111-1111-1111', 'card [card]'],
    ['amex 378282246310005', 'amex [card]'],
    // No Luhn check digit, too short, too long: numbers of another kind.
    ['order 4111111111111112', 'order 4111111111111112'],
    ['phone 123456789012', 'phone 123456789012'],
    ['id 41111111111111111111111', 'id 41111111111111111111111'],
    ['by EMP-123456', 'by [redacted]'],
    ['key sk-slu-abcd1234_secretsecretsecret', 'key sk-slu-abcd1234_[secret]'],
    ['Bearer abcdefghijklmnop', 'Bearer [secret]'],
  ])('%j becomes %j', (before, after) => {
    expect(JSON.parse(kept({ a: [{ [before]: before }] }).text)).toEqual({ a: [{ [after]: after }] })
    expect(kept(before).text).toBe(after)
  })

  test('only the kinds that are asked for are cut out', () => {
    const text = 'a@b.example 4111111111111111 sk-abcdefghijkl'
    const only = (kinds: readonly string[]) => kept(text, { ...all, kinds: [...kinds] }).text
    expect(only([])).toBe(text)
    expect(only(['email'])).toBe('[email] 4111111111111111 sk-abcdefghijkl')
  })

  test('what was streamed in pieces is redacted as a whole', () => {
    const pieces = ['mail ada@', 'exam', 'ple.org']
    const stream = pieces.map(
      (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`,
    )
    expect(JSON.parse(kept(`${stream.join('')}data: [DONE]\n\n`).text)).toMatchObject({
      choices: [{ message: { role: 'assistant', content: 'mail [email]' } }],
    })
  })

  test.each(['4 ', '1', 'a@', '.a', 'a.', 'EMP-', '-1'])(
    'costs no more than its length for %j again and again',
    async (unit) => {
      const prepare = preparing(all)
      await expectLinear({
        from: 4000,
        make: (size) => Buffer.from(unit.repeat(size / unit.length)),
        run: (bytes) => prepare({ bytes, length: bytes.byteLength }),
      })
    },
  )
})

describe('binary data is named by type and size', () => {
  const base64 = Buffer.alloc(3000, 7).toString('base64')
  test.each([
    ['a data URL', { url: `data:image/png;base64,${base64}` }, { url: '[image/png, 3000 bytes]' }],
    ['a short data URL', { url: 'data:image/gif;base64,AAAA' }, { url: '[image/gif, 3 bytes]' }],
    [
      "Anthropic's",
      { media_type: 'image/jpeg', data: base64 },
      { media_type: 'image/jpeg', data: '[image/jpeg, 3000 bytes]' },
    ],
    ["OpenAI's sound", { format: 'wav', data: base64 }, { format: 'wav', data: '[wav, 3000 bytes]' }],
    ['an answer with a picture', { b64_json: base64 }, { b64_json: '[binary data, 3000 bytes]' }],
    ['a vector', { embedding: Array.from({ length: 1536 }, () => 0.25) }, { embedding: '[1536 numbers]' }],
    ['a list of few numbers', { bias: [1, 2] }, { bias: [1, 2] }],
    ['a hash', { sha: 'a'.repeat(64) }, { sha: 'a'.repeat(64) }],
  ])('%s', (_, before, after) => {
    expect(JSON.parse(kept(before).text)).toEqual(after)
  })

  test('bytes that are not text', () => {
    expect(kept(Buffer.from([0xff, 0xfb, 0x90, 0x00]))).toEqual({ text: '"[binary data, 4 bytes]"', cut: false })
  })
})

describe('streams become the document that they stand for', () => {
  const events = (list: readonly object[]): string =>
    list.map((each) => `event: x\ndata: ${JSON.stringify(each)}\n\n`).join('')
  test('tool calls of a chat', () => {
    const deltas = [
      { tool_calls: [{ index: 0, id: 'c1', function: { name: 'get', arguments: '{"a"' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
    ]
    const stream = events([
      ...deltas.map((delta) => ({ id: 'x', model: 'm', choices: [{ index: 0, delta }] })),
      { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }], usage: { total_tokens: 3 } },
    ])
    const call = { id: 'c1', type: 'function', function: { name: 'get', arguments: '{"a":1}' } }
    expect(JSON.parse(kept(stream).text)).toEqual({
      id: 'x',
      model: 'm',
      choices: [
        { index: 0, message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' },
      ],
      usage: { total_tokens: 3 },
    })
  })

  test('a message of Anthropic', () => {
    const stream = events([
      { type: 'message_start', message: { id: 'm', role: 'assistant', content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't', name: 'f', input: {} } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"x":2}' } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    ])
    expect(JSON.parse(kept(stream).text)).toEqual({
      id: 'm',
      role: 'assistant',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'tool_use', id: 't', name: 'f', input: { x: 2 } },
      ],
      stop_reason: 'tool_use',
    })
  })

  test('a response, and one that broke off', () => {
    const begun = { type: 'response.output_text.delta', delta: 'Hal' }
    const whole = { type: 'response.completed', response: { id: 'r', output: [] } }
    expect(JSON.parse(kept(events([begun, whole])).text)).toEqual({ id: 'r', output: [] })
    expect(JSON.parse(kept(events([begun])).text)).toMatchObject({ output: [{ content: [{ text: 'Hal' }] }] })
  })

  test('the texts of a generation', () => {
    const stream = events([
      { text: 'a', batch_id: 1 },
      { text: 'b', batch_id: 0 },
      { text: 'c', batch_id: 1 },
    ])
    expect(JSON.parse(kept(stream).text)).toEqual({ text: ['b', 'ac'] })
  })
})

test('whatever the bytes are, what is kept is text within its size, and says when some is missing', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 400 }),
      fc.string({ unit: 'grapheme' }),
      fc.boolean(),
      (bytes, text, isText) => {
        const rules = { ...all, bytesMax: 64 }
        const { text: made } = kept(isText ? text : bytes, rules)
        expect(Buffer.byteLength(made)).toBeLessThanOrEqual(64)
        expect(made).toBe(made.toWellFormed())
      },
    ),
  )
  expect(kept('x'.repeat(10), { ...all, bytesMax: 10 })).toEqual({ text: 'x'.repeat(10), cut: false })
  expect(kept('x'.repeat(11), { ...all, bytesMax: 10 })).toEqual({ text: 'x'.repeat(10), cut: true })
  expect(kept('x'.repeat(10), all, 11)).toEqual({ text: 'x'.repeat(10), cut: true })
})
