/**
 * Requests share connections, parsers, keys and what is known of their kind. So many of them go side by side while every
 * third client leaves at some moment, and none may get, send or record anything of another.
 */
import { expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { head, json, send, stream, type Behaviour } from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, doneEvent } from '#test/support/upstream/upstream-samples.ts'

const requests = 300
const sideBySide = 24
const shapes = ['whole', 'in parts', 'stream', 'refused'] as const

/** What request number `at` says and does. */
function planOf(at: number) {
  return {
    marker: `marker-${at}-`,
    shape: shapes[at % shapes.length] ?? 'whole',
    leavesAfter: at % 3 === 0 ? at % 7 : null,
  }
}

type Plan = ReturnType<typeof planOf>

/** Says nothing but what the request said: its text, and a usage that is its number. */
function echo(text: string): Behaviour {
  const [shape = '', marker = '', at = ''] = text.split(' ')
  const usage = { prompt_tokens: Number(at), completion_tokens: 1 }
  const answer = { id: marker, choices: [{ index: 0, message: { role: 'assistant', content: marker } }], usage }
  const own = { 'X-Request-Id': marker }
  if (shape === 'stream') {
    const chunks = chatChunks({ pieces: Array.from({ length: 5 }, () => marker) })
    return stream([...chunks, { choices: [], usage }, doneEvent])
  }
  if (shape === 'refused') return json({ error: { message: marker, type: 'invalid_request_error' } }, 400, own)
  if (shape === 'whole') return json(answer, 200, own)
  const body = JSON.stringify(answer)
  const whole = { 'Content-Type': 'application/json', 'Content-Length': String(body.length), ...own }
  return [head(200, whole), send(body.slice(0, 9)), send(body.slice(9))]
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** The answer's text with its headers; null when the client left before. */
async function ask(gateway: GatewayApp, plan: Plan, at: number): Promise<string | null> {
  const { marker, shape, leavesAfter } = plan
  const leaving = new AbortController()
  const words = `${shape.split(' ')[0]} ${marker} ${at}`
  const fields = { messages: [{ role: 'user', content: words }], user: marker, stream: shape === 'stream' }
  const answering = gateway.chat(fields, { headers: { 'x-request-id': marker }, signal: leaving.signal })
  if (leavesAfter !== null) void turns(leavesAfter).then(() => leaving.abort())
  try {
    const response = await answering
    return `${JSON.stringify(response.headers.toJSON())} ${await response.text()}`
  } catch (thrown) {
    if (leavesAfter === null) throw thrown
    return null
  }
}

test('a request gets its own answer, sends its own body and is recorded as itself, whoever leaves beside it', async () => {
  await using gateway = await startGateway()
  gateway.upstream.script((received) => {
    const { messages, user } = received.json() as { messages: readonly { content: string }[]; user: string }
    const words = messages[0]?.content ?? ''
    // What went out together belongs together.
    expect([words.split(' ')[1], received.header('x-request-id')]).toEqual([user, user])
    return echo(words)
  })
  let next = 0
  const answered: number[] = []
  const worker = async (): Promise<void> => {
    for (let at = next++; at < requests; at = next++) {
      const plan = planOf(at)
      const text = await ask(gateway, plan, at)
      if (text === null) continue
      expect(new Set(text.match(/marker-\d+-/g))).toEqual(new Set([plan.marker]))
      if (plan.leavesAfter === null) answered.push(at)
    }
  }
  await Promise.all(Array.from({ length: sideBySide }, worker))

  expect(answered.length).toBe(requests - Math.ceil(requests / 3))
  const rows = new Map<string, number | null>()
  for (const at of answered) {
    const row = await gateway.usageOf(planOf(at).marker)
    rows.set(row.requestId, row.promptTokens)
  }
  const expected = answered.map((at) => [planOf(at).marker, planOf(at).shape === 'refused' ? null : at] as const)
  expect(rows).toEqual(new Map(expected))
}, 120_000)
