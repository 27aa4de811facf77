/**
 * The model provider of the generation question, a process of its own. The path says what to answer:
 * `/quick` 20 tokens at once, `/paced` 100 tokens at 10 ms, `/hang` one token and then nothing. It
 * takes every body off the wire and keeps none. `GET /stats` tells what became of the calls.
 */
export interface GenerationUpstreamStats {
  readonly calls: number
  readonly open: number
  readonly bodyBytes: number
  /** When the last call was let go by its client. Milliseconds since 1970. */
  readonly lastAbortAt: number
}

const encoder = new TextEncoder()
const event = (value: object | string) =>
  encoder.encode(`data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`)
const token = event({ choices: [{ index: 0, delta: { content: ' scattering' }, finish_reason: null }] })
const finish = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
const usage = event({ choices: [], usage: { prompt_tokens: 600, completion_tokens: 20 } })
const done = event('[DONE]')

const counts = { calls: 0, open: 0, bodyBytes: 0, lastAbortAt: 0 }

const shapes: Readonly<Record<string, { readonly tokens: number; readonly gapMs: number; readonly ends: boolean }>> = {
  '/quick': { tokens: 20, gapMs: 0, ends: true },
  '/paced': { tokens: 100, gapMs: 10, ends: true },
  '/hang': { tokens: 1, gapMs: 0, ends: false },
}

function answer(shape: NonNullable<(typeof shapes)[string]>, signal: AbortSignal): Response {
  let sent = 0
  let timer: Timer | undefined
  let isOpen = true
  const close = (aborted: boolean): void => {
    if (!isOpen) return
    isOpen = false
    clearTimeout(timer)
    counts.open -= 1
    if (aborted) counts.lastAbortAt = performance.timeOrigin + performance.now()
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      counts.open += 1
      const next = (): void => {
        do {
          controller.enqueue(token)
          sent += 1
        } while (shape.gapMs === 0 && sent < shape.tokens)
        if (sent < shape.tokens) timer = setTimeout(next, shape.gapMs)
        else if (shape.ends) {
          for (const bytes of [finish, usage, done]) controller.enqueue(bytes)
          close(false)
          controller.close()
        }
      }
      next()
    },
    cancel: () => close(true),
  })
  signal.addEventListener('abort', () => close(true))
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const path = new URL(request.url).pathname
    if (path === '/stats') return Response.json(counts satisfies GenerationUpstreamStats)
    const shape = shapes[path.slice(0, path.indexOf('/', 1))]
    if (shape === undefined) return new Response('no such shape', { status: 404 })
    counts.calls += 1
    for await (const piece of request.body ?? []) counts.bodyBytes += piece.byteLength
    return answer(shape, request.signal)
  },
})

console.log(JSON.stringify({ port: server.port }))
