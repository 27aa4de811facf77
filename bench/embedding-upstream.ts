/**
 * A model server for embeddings, a process of its own: `bun bench/embedding-upstream.ts <at once> [ms]`.
 * A call takes 20 ms, or what is said, whatever the number of its texts, as on an accelerator that is far from full;
 * so many calls are worked on at once, and the others wait. It prints its port as one line of JSON.
 */
const atOnce = Number(process.argv[2] ?? '1')
const callMs = Number(process.argv[3] ?? '20')
const dimensions = 384
const vector = JSON.stringify(Array.from({ length: dimensions }, (_, at) => Math.sin(at).toFixed(8)).map(Number))

let working = 0
const waiting: (() => void)[] = []

async function turn(): Promise<void> {
  if (working >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
  else working += 1
}

/** The turn goes to the one that has waited longest. */
function done(): void {
  const next = waiting.shift()
  if (next === undefined) working -= 1
  else next()
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    if (request.method === 'GET') return new Response()
    const { input } = (await request.json()) as { readonly input: string | readonly string[] }
    const inputs = typeof input === 'string' ? [input] : input
    await turn()
    await Bun.sleep(callMs)
    done()
    const data = inputs.map((_, index) => `{"object":"embedding","index":${index},"embedding":${vector}}`)
    const usage = { prompt_tokens: 8 * inputs.length, total_tokens: 8 * inputs.length }
    const body = `{"object":"list","data":[${data.join(',')}],"model":"bench","usage":${JSON.stringify(usage)}}`
    return new Response(body, { headers: { 'content-type': 'application/json' } })
  },
})

console.log(JSON.stringify({ port: server.port }))

export {}
