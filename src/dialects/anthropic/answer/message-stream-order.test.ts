import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { anthropicDialect } from '../anthropic-dialect.ts'
import { args, calling, chunk, finish, opening, request, streamed } from '#test/support/dialects/messages-chunks.ts'

type Json = Readonly<Record<string, unknown>>

describe('whatever the order of the chunks', () => {
  const pieces = (value: string, cuts: readonly number[]) => {
    const places = [...new Set(cuts.map((cut) => cut % (value.length + 1)))].sort((a, b) => a - b)
    return [...places, value.length].map((end, index) => value.slice(places[index - 1] ?? 0, end))
  }
  const words = fc.string({ unit: 'binary', maxLength: 12 })
  const cuts = fc.array(fc.nat(40), { maxLength: 4 })
  const saying = fc.record({
    kind: fc.constantFrom('text', 'thought'),
    deltas: fc.array(words, { maxLength: 4 }),
  })
  const calls = fc.record({ input: fc.dictionary(words, fc.jsonValue(), { maxKeys: 3 }), cuts })

  /** Chunks of each list in order, the lists mixed by `turns`. */
  function mixed(lists: readonly (readonly Json[])[], turns: readonly number[]): readonly Json[] {
    const queues = lists.map((list) => [...list])
    const all: Json[] = []
    for (let turn = 0; queues.some((queue) => queue.length > 0); turn += 1) {
      const waiting = queues.filter((queue) => queue.length > 0)
      const next = waiting[(turns[turn % Math.max(1, turns.length)] ?? 0) % waiting.length]?.shift()
      if (next !== undefined) all.push(next)
    }
    return all
  }

  test('the events are valid, and all that was said is in them', () => {
    fc.assert(
      fc.property(
        fc.array(saying, { maxLength: 4 }),
        fc.array(calls, { maxLength: 4 }),
        fc.array(fc.nat(7), { maxLength: 30 }),
        fc.boolean(),
        (said, called, turns, interleaved) => {
          const spoken = said.flatMap(({ kind, deltas }) =>
            deltas.map((delta) => chunk(kind === 'text' ? { content: delta } : { reasoning_content: delta })),
          )
          const callLists = called.map(({ input, cuts: at }, index) => [
            calling(index, `c${index}`, 'weather'),
            ...pieces(JSON.stringify(input), at).map((piece) => args(index, piece)),
          ])
          // In turns among themselves and with the text, or one after the other as most servers do it.
          const chunks = interleaved ? mixed([spoken, ...callLists], turns) : mixed([spoken, callLists.flat()], turns)
          const { blocks } = streamed([opening, ...chunks, finish('stop')])
          const joined = (kind: string) =>
            blocks
              .filter(({ type }) => type === kind)
              .map(({ text }) => text)
              .join('')
          const all = (kind: string) =>
            said
              .filter((each) => each.kind === kind)
              .flatMap(({ deltas }) => deltas)
              .join('')
          expect(joined('text')).toBe(all('text'))
          expect(joined('thinking')).toBe(all('thought'))
          for (const [index, { input }] of called.entries()) {
            expect(blocks.filter(({ id }) => id === `c${index}`).map(({ text }) => text)).toEqual([
              JSON.stringify(input),
            ])
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  test('a stream says what the whole answer says', () => {
    fc.assert(
      fc.property(words, words, fc.array(calls, { maxLength: 3 }), (thought, said, called) => {
        const toolCalls = called.map(({ input }, index) => ({
          id: `c${index}`,
          type: 'function',
          function: { name: 'weather', arguments: JSON.stringify(input) },
        }))
        const message = { content: said, reasoning_content: thought, tool_calls: toolCalls }
        const whole = anthropicDialect
          .translate(request, { now: 0, newId: () => '1' })
          .whole({ choices: [{ message, finish_reason: 'stop' }] }) as { content: readonly Json[]; stop_reason: string }
        const chunks = [
          ...pieces(thought, [1]).map((piece) => chunk({ reasoning_content: piece })),
          ...pieces(said, [1]).map((piece) => chunk({ content: piece })),
          ...called.flatMap(({ input, cuts: at }, index) => [
            calling(index, `c${index}`, 'weather'),
            ...pieces(JSON.stringify(input), at).map((piece) => args(index, piece)),
          ]),
        ]
        const { blocks, delta } = streamed([...chunks, finish('stop')])
        expect(
          blocks.map(({ type, id, text }) => ({ type, id, said: type === 'tool_use' ? JSON.parse(text) : text })),
        ).toEqual(
          whole.content.map((block) => ({
            type: block['type'] as string,
            id: block['id'] as string,
            said: block['input'] ?? block['thinking'] ?? block['text'],
          })),
        )
        expect(delta).toMatchObject({ delta: { stop_reason: whole.stop_reason } })
      }),
    )
  })
})
