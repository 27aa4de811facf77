/** A token rate of a provider: reserved by the estimate, settled by what was used, however the answer ends. */
import { describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import {
  brokenStream,
  close,
  events,
  gate,
  json,
  stream,
  streamEnd,
  streamHead,
  type Behaviour,
} from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, chatCompletion, doneEvent } from '#test/support/upstream/upstream-samples.ts'

/** Each request reserves a little more than this of the rate, so that only two fit unsettled. */
const asked = 4000
const rate = 10_000
const [first = {}, ...rest] = chatChunks({ usage: 'last' })

function usageOf(tokens: number): object {
  return { prompt_tokens: 10, completion_tokens: tokens - 10, total_tokens: tokens }
}

interface Ending {
  readonly behaviour: (usage: object) => Behaviour
  readonly streamed: boolean
  /** The client leaves after the first event. */
  readonly leaves?: boolean
}

const chunksWith = (usage: object): readonly object[] => [...chatChunks(), { ...first, choices: [], usage }]

const endings: Readonly<Record<string, Ending>> = {
  whole: { streamed: false, behaviour: (usage) => json({ ...chatCompletion(), usage }) },
  streamed: { streamed: true, behaviour: (usage) => stream([...chunksWith(usage), doneEvent]) },
  'broken off after its usage': { streamed: true, behaviour: (usage) => brokenStream(chunksWith(usage), close) },
  refused: { streamed: false, behaviour: () => json({ error: { message: 'Bad.' } }, 400) },
  failed: { streamed: false, behaviour: () => json({ error: { message: 'Broken.' } }, 500) },
}

const startWithRate = (): Promise<GatewayApp> =>
  startGateway({
    set: [`limits.rates=provider:up tokens ${rate}/day`, 'health.failures_to_eject=100', 'failover.max_attempts=1'],
  })

/** Answers that end before the provider has counted them. */
const uncounted: Readonly<Record<string, Ending>> = {
  'left by the client': {
    streamed: true,
    leaves: true,
    behaviour: () => [streamHead, ...events([first]), gate, ...events([...rest, doneEvent]), streamEnd],
  },
  'broken off': { streamed: true, behaviour: () => brokenStream([first], close) },
}

let number = 0

/** One request to the end of its record; its status. */
async function once(gateway: GatewayApp, { streamed, leaves = false }: Ending): Promise<number> {
  const id = `settles-${(number += 1)}`
  const leaving = new AbortController()
  const answer = await gateway.chat(
    { max_tokens: asked, stream: streamed },
    { headers: { 'x-request-id': id }, signal: leaving.signal },
  )
  const { status } = answer
  if (leaves && status === 200) {
    await answer.body?.getReader().read()
    leaving.abort()
  } else await answer.text().catch(() => undefined)
  await gateway.usageOf(id)
  return status
}

describe('a token rate of a provider', () => {
  for (const [name, ending] of Object.entries(endings)) {
    test(`gets back what an answer did not use that was ${name}`, async () => {
      await using gateway = await startWithRate()
      gateway.upstream.script(() => ending.behaviour(usageOf(50)))
      const statuses: number[] = []
      for (let each = 0; each < 12; each += 1) statuses.push(await once(gateway, ending))
      expect(statuses).not.toContain(429)
      expect(gateway.upstream.requests).toHaveLength(12)
    })
  }

  for (const name of ['whole', 'streamed', 'broken off after its usage'] as const) {
    test(`is charged for what an answer used beyond its estimate that was ${name}`, async () => {
      const ending = endings[name]!
      await using gateway = await startWithRate()
      gateway.upstream.script(() => ending.behaviour(usageOf(rate + 5000)))
      expect(await once(gateway, ending)).toBe(200)
      expect(await once(gateway, ending)).toBe(429)
      expect(gateway.upstream.requests).toHaveLength(1)
    })
  }

  for (const [name, ending] of Object.entries(uncounted)) {
    test(`keeps what was reserved for an answer without a count that was ${name}`, async () => {
      await using gateway = await startWithRate()
      gateway.upstream.script(ending.behaviour(usageOf(50)))
      const statuses: number[] = []
      for (let each = 0; each < 4; each += 1) statuses.push(await once(gateway, ending))
      expect(statuses).toEqual([200, 200, 429, 429])
    })
  }

  test('holds the estimate while answers are under way', async () => {
    await using gateway = await startWithRate()
    gateway.upstream.script(() => [gate, ...json(chatCompletion())])
    const running = [gateway.chat({ max_tokens: asked }), gateway.chat({ max_tokens: asked })]
    for (const _ of running) await gateway.upstream.nextRequest()
    expect((await gateway.chat({ max_tokens: asked })).status).toBe(429)
    gateway.upstream.release(2)
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200])
  })
})
