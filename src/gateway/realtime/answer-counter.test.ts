import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { AnswerCounter } from './answer-counter.ts'

const done = (usage: unknown) => JSON.stringify({ type: 'response.done', response: { usage } })

test('an answer is under way until it is done, and there are never fewer than none', () => {
  const counter = new AnswerCounter()
  const seen = ['response.created', 'response.created', 'response.done', 'response.done', 'response.done'].map(
    (type) => {
      counter.read(JSON.stringify({ type }))
      return counter.underWay
    },
  )
  expect(seen).toEqual([1, 2, 1, 0, 0])
})

test('the usage is the sum of all answers, of each kind, whatever else is sent between them', () => {
  const count = fc.nat(1_000_000)
  const other = fc.oneof(fc.json(), fc.constantFrom('"response.done"', '{"type":"response.done"', done(null), done([])))
  const answer = fc.record({ input: count, output: count, cached: fc.option(count), audio: count })
  fc.assert(
    fc.property(fc.array(fc.tuple(answer, fc.array(other)), { minLength: 1 }), (answers) => {
      const counter = new AnswerCounter()
      for (const [{ input, output, cached, audio }, others] of answers) {
        for (const each of others) counter.read(each)
        const details = { ...(cached !== null && { cached_tokens: cached }), audio_tokens: audio }
        counter.read(done({ input_tokens: input, output_tokens: output, input_token_details: details }))
      }
      const sum = (read: (answer: (typeof answers)[number][0]) => number | null) =>
        answers.reduce((all, [each]) => all + (read(each) ?? 0), 0)
      expect(counter.usage).toMatchObject({ promptTokens: sum((a) => a.input), completionTokens: sum((a) => a.output) })
      const { kinds } = counter.usage!
      expect(kinds?.cachedTokens ?? 0).toBe(sum((a) => a.cached))
      expect(kinds?.units?.audioInput ?? 0).toBe(sum((a) => a.audio))
    }),
  )
})
