/** The provider of `realtime.ts`: sends every message back, and tells how many sockets are open. Prints its port. */
const provider = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request, bun): Response | undefined {
    if (bun.upgrade(request)) return undefined
    return Response.json({ count: bun.pendingWebSockets })
  },
  websocket: { message: (socket, message) => void socket.send(message) },
})
console.log(JSON.stringify({ port: provider.port }))
