/** Composites with the strategy `affinity`, in front of real servers: what belongs together has one, and loses it to nobody but a fault. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startComposite, type CompositeApp } from '#test/support/app/composite-app.ts'

let app: CompositeApp
beforeAll(async () => void (app = await startComposite({ components: 4, strategy: 'affinity' })))
afterAll(() => app[Symbol.asyncDispose]())

/** Names of the components that answered requests with these fields, each once. */
async function answeredBy(requests: readonly object[], headers: Readonly<Record<string, string>> = {}) {
  const names = new Set<string | null>()
  for (const fields of requests) {
    const answer = await app.chat(fields, { headers })
    expect(answer.status).toBe(200)
    names.add(answer.headers.get('x-sluice-provider'))
  }
  return [...names]
}

const question = (content: string): object => ({ messages: [{ role: 'user', content }] })
const many = Array.from({ length: 12 }, (_, at) => at)

test('requests of one prompt_cache_key or x-session-id have one server, those of many names have all', async () => {
  const named = (key: string) => many.map((at) => ({ ...question(`question ${at}`), prompt_cache_key: key }))
  expect(await answeredBy(named('talk 1'))).toHaveLength(1)
  const bySession = await answeredBy(
    many.map((at) => question(`question ${at}`)),
    { 'x-session-id': 'talk 2' },
  )
  expect(bySession).toHaveLength(1)
  const all = new Set<string | null>()
  for (const key of Array.from({ length: 40 }, (_, at) => `name ${at}`))
    for (const name of await answeredBy([{ ...question('a'), prompt_cache_key: key }])) all.add(name)
  expect(all.size).toBe(4)
})

test.each(['chat/completions', 'messages', 'responses'])(
  'a conversation by %s keeps its server from turn to turn',
  async (endpoint) => {
    const names = new Set<string | null>()
    const turns: object[] = []
    for (let turn = 0; turn < 6; turn += 1) {
      turns.push({
        role: turn % 2 === 0 ? 'user' : 'assistant',
        content: `${endpoint}: ${`turn ${turn} says. `.repeat(100)}`,
      })
      if (turn % 2 === 1) continue
      const body = endpoint === 'responses' ? { input: turns, store: false } : { messages: turns, max_tokens: 9 }
      const answer = await app.gateway.request('POST', `/ai/v1/${endpoint}`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'composite', ...body }),
      })
      expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
      names.add(answer.headers.get('x-sluice-provider'))
    }
    expect(names.size).toBe(1)
  },
)

test('when its server dies, a name moves to one other, and all answers are whole', async () => {
  const named = many.map((at) => ({ ...question(`question ${at}`), prompt_cache_key: 'talk 1' }))
  const [before] = await answeredBy(named)
  await app.servers[Number(before?.split('-')[1])]!.close()
  const after = await answeredBy(named)
  expect(after).toHaveLength(1)
  expect(after).not.toContain(before)
})
