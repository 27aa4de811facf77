/**
 * What every kind of provider must do, whatever it speaks upstream. A kind passes by calling
 * `providerContract` in its own test file; a case that it cannot pass is skipped with a reason.
 */
import { describe, expect, test } from 'bun:test'
import type { Endpoint, Provider, UpstreamCall } from '#providers/provider.ts'
import { responseOf } from '../network/reply-response.ts'

/** A provider ready to be called, made anew for each case. */
export interface ContractSubject {
  readonly provider: Provider
  readonly chatModel: string
  /** Without it the embeddings case is skipped. */
  readonly embedModel?: string
  /** A user message whose answer is long: more than one read of a stream delivers. */
  readonly longMessage?: string
  /** True when an answer holds the user's message, so that what came through can be compared. */
  readonly echoes?: boolean
  readonly close: () => Promise<void>
}

interface StreamChunk {
  readonly choices: readonly {
    readonly delta?: { readonly content?: string | null }
    readonly finish_reason?: string | null
  }[]
  readonly usage?: Usage | null
}

interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
}

const greeting = 'Say hello in one sentence.'
const cases: Readonly<Record<string, (subject: ContractSubject) => Promise<void>>> = {
  'a whole chat has the shape of a chat completion': async (subject) => {
    const response = await chat(subject, greeting)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(await response.json()).toMatchObject({
      id: expect.any(String),
      object: 'chat.completion',
      created: expect.any(Number),
      model: expect.any(String),
      choices: [
        { index: 0, message: { role: 'assistant', content: expect.stringMatching(/\S/u) }, finish_reason: 'stop' },
      ],
    })
  },

  'the token counts of a whole chat add up': async (subject) => {
    const { usage } = await jsonOf<{ usage: Usage }>(await chat(subject, greeting))
    expectUsage(usage)
  },

  'a streamed chat ends with [DONE] and its deltas join to a text': async (subject) => {
    const response = await chat(subject, greeting, { stream: true })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const events = eventsIn(await response.text())
    expect(events.at(-1)).toBe('[DONE]')
    const chunks = chunksOf(events)
    expect(joined(chunks)).toMatch(/\S/u)
    expect(
      chunks.flatMap(({ choices }) => choices.map((choice) => choice.finish_reason ?? null)).filter(Boolean),
    ).toEqual(['stop'])
  },

  'a stream that is asked for its usage ends with it': async (subject) => {
    const response = await chat(subject, greeting, { stream: true, stream_options: { include_usage: true } })
    const last = chunksOf(eventsIn(await response.text())).at(-1)
    expect(last?.choices).toEqual([])
    expectUsage(last?.usage)
  },

  'aborting ends the body of a stream': async (subject) => {
    const controller = new AbortController()
    const response = await chat(subject, longMessageOf(subject), { stream: true }, controller.signal)
    const reader = bodyOf(response).getReader()
    let received = decoded((await reader.read()).value)
    controller.abort(new Error('the client is gone'))
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) received += decoded(read.value)
    } catch {
      // Whether the body closes or breaks is the provider's affair; that it is over is what counts.
    }
    expect(received).not.toBe('')
    expect(received).not.toContain('[DONE]')
  },

  'a body that nobody reads on can be cancelled': async (subject) => {
    const response = await chat(subject, longMessageOf(subject), { stream: true })
    const reader = bodyOf(response).getReader()
    await reader.read()
    await reader.cancel()
    expect((await reader.read()).done).toBe(true)
  },

  'a call whose signal is already aborted rejects with its reason': async (subject) => {
    const reason = new Error('too late')
    const failure = await chat(subject, greeting, {}, AbortSignal.abort(reason)).catch((error: unknown) => error)
    expect(failure).toBe(reason)
  },

  'a call that is aborted before its answer rejects with the reason': async (subject) => {
    const controller = new AbortController()
    const reason = new Error('gone before the answer')
    const answer = chat(subject, greeting, {}, controller.signal).catch((error: unknown) => error)
    controller.abort(reason)
    expect(await answer).toBe(reason)
  },

  'a refusal of the upstream is an answer, not an exception': async (subject) => {
    const response = await call(subject, 'chat/completions', { model: subject.chatModel, messages: 'none' })
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(response.status).toBeLessThan(500)
    expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } })
  },

  'discovery lists models by distinct names': async ({ provider }) => {
    const ids = (await provider.discover(new AbortController().signal)).map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(0)
    expect(ids).not.toContain('')
    expect(new Set(ids).size).toBe(ids.length)
  },

  'discovery rejects with the reason of an aborted signal': async ({ provider }) => {
    const reason = new Error('too late')
    expect(await provider.discover(AbortSignal.abort(reason)).catch((error: unknown) => error)).toBe(reason)
  },

  'embeddings come in the order of their inputs and in one dimension': async (subject) => {
    if (subject.embedModel === undefined) throw new Error('name an embedModel, or skip this case with a reason')
    const input = ['a red apple', 'the stock market fell', 'a red apple']
    const answer = await jsonOf<{ data: { index: number; embedding: number[] }[] }>(
      await call(subject, 'embeddings', { model: subject.embedModel, input }),
    )
    expect(answer.data.map(({ index }) => index)).toEqual([0, 1, 2])
    const [first = [], second = [], third = []] = answer.data.map(({ embedding }) => embedding)
    expect(first.length).toBeGreaterThan(0)
    expect([second.length, third.length]).toEqual([first.length, first.length])
    expect(cosine(first, third)).toBeGreaterThan(0.999)
    expect(cosine(first, second)).toBeLessThan(0.99)
  },

  'unknown fields are accepted': async (subject) => {
    const response = await chat(subject, greeting, { x_unknown_field: { nested: [1, 2, 3] }, metadata: { a: 'b' } })
    expect(response.status).toBe(200)
  },

  'text of several bytes per character survives, whole and streamed': async (subject) => {
    const message = 'Zażółć gęślą jaźń — 日本語 👩‍👩‍👧 🧵 ñ'
    type Whole = { choices: { message: { content: string } }[] }
    const whole = (await jsonOf<Whole>(await chat(subject, message))).choices[0]?.message.content ?? ''
    const streamed = joined(chunksOf(eventsIn(await (await chat(subject, message, { stream: true })).text())))
    for (const text of [whole, streamed]) {
      expect(text).toMatch(/\S/u)
      expect(text).not.toContain('\uFFFD')
      if (subject.echoes) expect(text).toContain(message)
    }
  },
}

export type ContractCase = keyof typeof cases

/** Declares the suite for one kind. `skip` maps the name of a case to the reason why the kind cannot pass it. */
export function providerContract(
  name: string,
  make: () => Promise<ContractSubject>,
  skip: Readonly<Record<ContractCase, string>> = {},
): void {
  const unknown = Object.keys(skip).filter((key) => !Object.hasOwn(cases, key))
  if (unknown.length > 0) throw new Error(`no such case in the provider contract: ${unknown.join(', ')}`)
  describe(`provider contract: ${name}`, () => {
    for (const [title, check] of Object.entries(cases)) {
      const reason = skip[title]
      test.skipIf(reason !== undefined)(reason === undefined ? title : `${title} (${reason})`, async () => {
        const subject = await make()
        try {
          await check(subject)
        } finally {
          await subject.close()
        }
      })
    }
  })
}

/** A call as the gateway makes it. */
export function upstreamCall(
  endpoint: Endpoint,
  body: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): UpstreamCall {
  const own = signal ?? new AbortController().signal
  return {
    endpoint,
    upstreamModel: String(body['model']),
    content: { kind: 'json', body: new TextEncoder().encode(JSON.stringify(body)) },
    streamed: body['stream'] === true,
    headers: {},
    requestId: 'contract-test',
    signal: own,
    cancellation: own,
    reuseConnection: true,
  }
}

/** The payloads of the `data:` events in a stream of server-sent events. */
export function eventsIn(stream: string): readonly string[] {
  return stream.split(/\r?\n/u).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
}

function call(
  subject: ContractSubject,
  endpoint: Endpoint,
  body: Readonly<Record<string, unknown>>,
): Promise<Response> {
  return subject.provider.send(upstreamCall(endpoint, body)).then(responseOf)
}

function chat(subject: ContractSubject, text: string, more: object = {}, signal?: AbortSignal): Promise<Response> {
  const body = { model: subject.chatModel, messages: [{ role: 'user', content: text }], ...more }
  return subject.provider.send(upstreamCall('chat/completions', body, signal)).then(responseOf)
}

function longMessageOf({ longMessage }: ContractSubject): string {
  return longMessage ?? 'Count from 1 to 1000, one number per line, without leaving any out.'
}

async function jsonOf<T>(response: Response): Promise<T> {
  return (await response.json()) as T
}

function bodyOf({ body }: Response): ReadableStream<Uint8Array> {
  if (body === null) throw new Error('the answer has no body')
  return body
}

function decoded(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes)
}

function chunksOf(events: readonly string[]): readonly StreamChunk[] {
  return events.filter((event) => event !== '[DONE]').map((event) => JSON.parse(event) as StreamChunk)
}

function joined(chunks: readonly StreamChunk[]): string {
  return chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join('')
}

function expectUsage(usage: Usage | null | undefined): void {
  if (!usage) throw new Error('no usage came')
  expect(usage.prompt_tokens).toBeGreaterThan(0)
  expect(usage.completion_tokens).toBeGreaterThan(0)
  expect(usage.prompt_tokens + usage.completion_tokens).toBe(usage.total_tokens)
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
  return dot / (Math.hypot(...a) * Math.hypot(...b))
}
