import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ApiError } from '#errors/api-error.ts'
import type { JsonObject } from '../../dialect.ts'
import { answer, callDelta, chunk, readEvents, translated, type TestEvent } from '#test/support/dialects/responses.ts'

/** What a chat stream may say next; a call's index is made real by `asChunks`. */
type Step = {
  readonly text?: string
  readonly thoughts?: string
  readonly refusal?: string
  readonly call?: Call
  readonly odd?: JsonObject
}
interface Call {
  readonly index: number
  readonly arguments: string
}

const piece = fc.string({ maxLength: 5 })
/** Never a complete object, after whose end a call cannot go on. */
const argumentsPiece = piece.map((text) => text.replaceAll(/[\]}]/g, ''))
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ text: piece }),
  fc.record({ thoughts: piece }),
  fc.record({ refusal: piece }),
  fc.record({ call: fc.record({ index: fc.nat(2), arguments: argumentsPiece }) }),
  fc.record({ text: piece, thoughts: piece, call: fc.record({ index: fc.nat(2), arguments: argumentsPiece }) }),
  fc.record({
    odd: fc.constantFrom<JsonObject>(
      chunk({ role: 'assistant' }),
      chunk({}),
      chunk({ content: null, tool_calls: null }),
      { choices: [] },
      { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } },
    ),
  }),
)
const finish = fc.constantFrom('stop', 'tool_calls', 'length', 'content_filter', null)

function asChunks(steps: readonly Step[]): JsonObject[] {
  const named = new Set<number>()
  return steps.map(({ text, thoughts, refusal, call, odd }) => {
    if (odd !== undefined) return odd
    const delta: JsonObject = { content: text ?? null, reasoning_content: thoughts ?? null, refusal: refusal ?? null }
    if (call === undefined) return chunk(delta)
    const isFirst = !named.has(call.index)
    named.add(call.index)
    const called = isFirst ? { name: `f${call.index}`, arguments: call.arguments } : { arguments: call.arguments }
    return chunk({ ...delta, ...callDelta(call.index, called, isFirst ? `id${call.index}` : undefined) })
  })
}

/** What the events of one item add up to. */
interface Growing {
  readonly id: unknown
  open: boolean
  parts: number
  partOpen: boolean
  text: string
}

const opensPart = /(content_part|summary_part)\.added$/
const closesPart = /(content_part|summary_part)\.done$/
const growsPart = /(text|refusal|arguments)\.delta$/
const saysWhole = /(text|refusal|arguments)\.done$/

/** Throws where the events break the grammar of a stream; returns the items that were ended. */
function checkGrammar(events: readonly TestEvent[], terminal: RegExp): JsonObject[] {
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
  expect(events.slice(0, 2).map((event) => event.type)).toEqual(['response.created', 'response.in_progress'])
  const ends = events.filter(({ type }) => /^response\.(completed|incomplete|failed)$/.test(type))
  expect(ends).toEqual(events.slice(-1))
  expect(events.at(-1)?.type).toMatch(terminal)
  const items: Growing[] = []
  const ended: JsonObject[] = []
  for (const event of events.slice(2, -1)) if (event.type !== 'error') follow(event, items, ended)
  return ended
}

function follow(event: TestEvent, items: Growing[], ended: JsonObject[]): void {
  const at = Number(event['output_index'])
  if (event.type === 'response.output_item.added') {
    expect([at, items.some(({ open }) => open)]).toEqual([items.length, false])
    items.push({ id: (event['item'] as JsonObject)['id'], open: true, parts: 0, partOpen: false, text: '' })
    return
  }
  const item = items[at]
  if (item?.open !== true) throw new Error(`${event.type} for an item that is not open`)
  if (event.type === 'response.output_item.done') {
    expect([item.partOpen, (event['item'] as JsonObject)['id']]).toEqual([false, item.id])
    item.open = false
    ended[at] = event['item'] as JsonObject
    return
  }
  expect(event['item_id']).toBe(item.id)
  followPart(event, item)
}

function followPart(event: TestEvent, item: Growing): void {
  const isCall = event.type.includes('arguments')
  if (opensPart.test(event.type)) {
    expect([item.partOpen, event['content_index'] ?? event['summary_index']]).toEqual([false, item.parts])
    Object.assign(item, { parts: item.parts + 1, partOpen: true, text: '' })
  } else if (growsPart.test(event.type)) {
    expect(item.partOpen || isCall).toBe(true)
    item.text += String(event['delta'])
  } else if (saysWhole.test(event.type)) {
    expect(event['text'] ?? event['refusal'] ?? event['arguments']).toBe(item.text)
  } else if (closesPart.test(event.type)) {
    expect(item.partOpen).toBe(true)
    item.partOpen = false
  } else throw new Error(`an event that is not expected here: ${event.type}`)
}

function lastOutput(events: readonly TestEvent[]): readonly JsonObject[] {
  const response = events.at(-1)?.['response'] as { readonly output: readonly JsonObject[] } | undefined
  return response?.output ?? []
}

/** All that an output says, by kind; calls by their id. */
function contentOf(output: readonly JsonObject[]): JsonObject {
  const parts = output.flatMap((item) => [
    ...((item['content'] ?? []) as JsonObject[]),
    ...((item['summary'] ?? []) as JsonObject[]),
  ])
  const textOf = (kinds: readonly string[]): string =>
    parts
      .filter((part) => kinds.includes(String(part['type'])))
      .map((part) => part['text'] ?? part['refusal'])
      .join('')
  const calls = output.filter((item) => item['type'] === 'function_call')
  return {
    text: textOf(['output_text']),
    thoughts: textOf(['reasoning_text', 'summary_text']),
    refusal: textOf(['refusal']),
    calls: Object.fromEntries(calls.map((item) => [item['call_id'], [item['name'], item['arguments']]])),
  }
}

/** The same of the chat stream itself. */
function contentSaid(steps: readonly Step[]): JsonObject {
  const calls: Record<string, [string, string]> = {}
  for (const { call } of steps) {
    if (call === undefined) continue
    const [name, before] = calls[`id${call.index}`] ?? [`f${call.index}`, '']
    calls[`id${call.index}`] = [name, before + call.arguments]
  }
  const all = (name: 'text' | 'thoughts' | 'refusal'): string => steps.map((one) => one[name] ?? '').join('')
  return { text: all('text'), thoughts: all('thoughts'), refusal: all('refusal'), calls }
}

const request = fc.constantFrom<JsonObject>({ stream: true }, { stream: true, reasoning: { summary: 'auto' } })

describe('any stream of a chat completion', () => {
  test('leads to a valid stream of events that says the same', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), finish, request, (steps, finishReason, sent) => {
        const stream = translated(sent).stream()
        const chunks = [...asChunks(steps), chunk({}, finishReason)]
        const events = readEvents(chunks.map((one) => stream.push(one)).join('') + stream.end())
        const isCut = finishReason === 'length' || finishReason === 'content_filter'
        const ended = checkGrammar(events, isCut ? /incomplete$/ : /completed$/)
        const output = lastOutput(events)
        expect<readonly JsonObject[]>(ended).toEqual(output)
        expect(contentOf(output)).toEqual(contentSaid(steps))
        const incomplete = output.filter((item) => item['status'] !== 'completed').length
        expect(incomplete).toBe(isCut && output.length > 0 ? 1 : 0)
      }),
      { numRuns: 300 },
    )
  })

  test('that breaks off leads to a valid beginning that ends as failed, with all that was said', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), request, (steps, sent) => {
        const stream = translated(sent).stream()
        const said = asChunks(steps)
          .map((one) => stream.push(one))
          .join('')
        const events = readEvents(said + stream.fail(new ApiError('upstream_timeout')))
        checkGrammar(events, /failed$/)
        const output = lastOutput(events)
        expect(contentOf(output)).toEqual(contentSaid(steps))
      }),
      { numRuns: 200 },
    )
  })
})

describe('any answer of the assistant', () => {
  test('comes back as the same chat message when it is sent as input', () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { maxLength: 3 })
    fc.assert(
      fc.property(piece, fc.string({ minLength: 1, maxLength: 5 }), names, (thoughts, text, calls) => {
        const toolCalls = calls.map((name) => ({
          id: `id_${name}`,
          type: 'function',
          function: { name, arguments: '{}' },
        }))
        const message = {
          role: 'assistant',
          content: text,
          ...(thoughts === '' ? {} : { reasoning_content: thoughts }),
          ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
        }
        const { output } = translated({}).whole(answer(message)) as { readonly output: JsonObject[] }
        expect(translated({ input: output }).chatBody['messages']).toEqual([message])
      }),
      { numRuns: 200 },
    )
  })
})
