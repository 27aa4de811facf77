/** A real HTTP server in front of another one that can refuse requests, or lose their answers on the way back. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export interface PassedRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
}

/** What happens to a request: handed on, handed on with its answer lost, or answered here with a status and an error code. */
export type Fate = 'pass' | 'lose the answer' | { readonly status: number; readonly code: string }

export interface UnrulyLine extends AsyncDisposable {
  readonly url: string
  /** All that came, whatever happened to them. */
  readonly requests: readonly PassedRequest[]
}

/** Listens until it is disposed, and asks `decide` about every request. */
export async function unrulyLine(target: string, decide: (request: PassedRequest) => Fate): Promise<UnrulyLine> {
  const requests: PassedRequest[] = []
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const passed = { method: request.method ?? '', path: request.url ?? '' }
    requests.push(passed)
    const fate = decide(passed)
    const received = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    if (typeof fate === 'object') {
      const { status, code } = fate
      const body = JSON.stringify({ error: { message: `Refused: ${code}.`, type: 'api_error', param: null, code } })
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' }).end(body)
      return
    }
    const { authorization = '', 'content-type': type } = request.headers
    const answer = await fetch(target + passed.path, {
      method: passed.method,
      headers: { authorization, ...(type !== undefined && { 'content-type': type }) },
      ...(received.length > 0 && { body: received }),
    })
    const body = await answer.bytes()
    if (fate === 'lose the answer') response.socket?.destroy()
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body)
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.socket?.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
