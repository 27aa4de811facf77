/**
 * The benchmark's model provider, a process of its own: `bun bench/upstream.ts`. It prints its port
 * as one line of JSON. The path says what to answer (`/<profile>/v1/chat/completions`), so the hot
 * path parses nothing. `GET /stats` tells how many streams are open, finished and abandoned.
 */
import { profileNames, profiles, type ProfileName, type StreamShape } from './profiles.ts'

export interface UpstreamStats {
  readonly open: number
  readonly finished: number
  readonly abandoned: number
}

const encoder = new TextEncoder()
const head = { id: 'chatcmpl-bench', created: 1_760_000_000, model: 'bench', system_fingerprint: 'fp_bench' }
const usage = { prompt_tokens: 160, completion_tokens: 60, total_tokens: 220 }

function completion(): string {
  const content = 'Air scatters short waves more strongly than long ones, so the blue part of sunlight '.repeat(4)
  const message = { role: 'assistant', content, refusal: null }
  const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }]
  return JSON.stringify({ ...head, object: 'chat.completion', choices, usage })
}

function event(delta: object, finishReason: string | null): Uint8Array {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }]
  return encoder.encode(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices })}\n\n`)
}

const tokenEvent = event({ content: ' scattering' }, null)
const lastEvent = event({}, 'stop')
const usageEvent = encoder.encode(
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], usage })}\n\n`,
)
const done = encoder.encode('data: [DONE]\n\n')

const counts = { open: 0, finished: 0, abandoned: 0 }

/** `shape.events` token events on a fixed timetable, then finish, usage and [DONE] in one write. */
function streamResponse(shape: StreamShape, signal: AbortSignal): Response {
  const startedAt = performance.now()
  let sent = 0
  let timer: Timer | undefined
  const end = (kind: 'finished' | 'abandoned') => {
    if (timer === undefined) return
    clearTimeout(timer)
    timer = undefined
    counts.open -= 1
    counts[kind] += 1
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      counts.open += 1
      const schedule = () => {
        const due = startedAt + shape.firstMs + sent * shape.gapMs
        timer = setTimeout(tick, Math.max(0, Math.ceil(due - performance.now())))
      }
      const tick = () => {
        controller.enqueue(tokenEvent)
        sent += 1
        if (sent < shape.events) return schedule()
        for (const bytes of [lastEvent, usageEvent, done]) controller.enqueue(bytes)
        end('finished')
        controller.close()
      }
      schedule()
    },
    cancel: () => end('abandoned'),
  })
  signal.addEventListener('abort', () => end('abandoned'))
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

function answerer(profile: ProfileName): (request: Request) => Response {
  const shape: StreamShape | null = profiles[profile]
  if (shape !== null) return (request) => streamResponse(shape, request.signal)
  const body = completion()
  const headers = { 'content-type': 'application/json' }
  return () => new Response(body, { headers })
}

const answerers = new Map(profileNames.map((name) => [`/${name}/v1/chat/completions`, answerer(name)]))

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const path = request.url.slice(request.url.indexOf('/', 8))
    if (path === '/stats') return Response.json(counts satisfies UpstreamStats)
    const answer = answerers.get(path)
    if (answer === undefined) return new Response('no such profile', { status: 404 })
    // The body is taken off the wire, as a provider would.
    await request.arrayBuffer()
    return answer(request)
  },
})

console.log(JSON.stringify({ port: server.port }))
