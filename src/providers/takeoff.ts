/**
 * Servers that speak the generation interface themselves: `/generate_stream` and
 * `/image_generate_stream`, events of one token each, no terminator. Bytes pass as they are, in both
 * directions; the provider's name of a model is its consumer group there.
 */
import type { ProviderRecord } from '#catalog/records.ts'
import type { Http1Client } from '#lib/http1/client.ts'
import { Server } from './openai.ts'
import { UpstreamFailure, type DiscoveredModel, type Endpoint, type Provider } from './provider.ts'

const endpoints: ReadonlySet<Endpoint> = new Set(['generate_stream', 'image_generate_stream'])

/** The client is the caller's and outlives the provider. */
export function takeoffProvider(record: ProviderRecord, http1: Http1Client): Provider {
  const server = new Server(record, http1)
  return {
    record,
    endpoints,
    sendsPieces: true,
    send: (call) => server.send(call),
    discover: (signal) => discover(server, signal),
  }
}

/** Groups are listed on another port, for administrators only; that the server lives is all that can be asked here. */
async function discover(server: Server, signal: AbortSignal): Promise<readonly DiscoveredModel[]> {
  const { status, body } = await server.request({
    method: 'GET',
    path: `${server.basePath}/healthz`,
    headers: { ...server.ownHeaders, 'accept-encoding': 'identity' },
    body: null,
    signal,
    reuseConnection: false,
  })
  body.cancel()
  if (status >= 500) throw new UpstreamFailure('protocol', new Error(`GET /healthz answered ${status}`))
  return [{ id: 'primary' }]
}
