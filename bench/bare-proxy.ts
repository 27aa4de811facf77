/**
 * The least that a proxy on this runtime can do: pass the body on and relay the answer's bytes.
 * The difference between this and the gateway is what the gateway's own work costs.
 * `bun bench/bare-proxy.ts <upstream origin>` prints its port as one line of JSON.
 */
const origin = process.argv[2] ?? ''

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const answer = await fetch(origin + new URL(request.url).pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
      body: await request.arrayBuffer(),
      signal: request.signal,
    })
    return new Response(answer.body, { status: answer.status, headers: answer.headers })
  },
})

console.log(JSON.stringify({ port: server.port }))
