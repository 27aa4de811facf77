/**
 * Anthropic, in its own wire format for clients that speak it (Messages, byte for byte), and through
 * the adapter of the AI SDK for chat completions.
 * API: https://platform.claude.com/docs/en/api/messages
 */
import type { ProviderRecord } from '#catalog/records.ts'
import type { Http1Client } from '#lib/http1/client.ts'
import { aiSdkProvider } from './ai-sdk.ts'
import { anthropicBatches } from './anthropic-batches.ts'
import { askNative, openaiProvider, Server } from './openai.ts'
import type { Provider, UpstreamCall } from './provider.ts'

const usualBaseUrl = 'https://api.anthropic.com/v1'
/** Version of the wire format; a client that names another one gets it. */
const version = '2023-06-01'

export function anthropicProvider(record: ProviderRecord, http1: Http1Client): Provider {
  const adapter = aiSdkProvider(record)
  const own = messagesRecord(record)
  const messages = openaiProvider(own, http1)
  return {
    record,
    // The vendor has no embeddings, although the adapter does.
    endpoints: new Set(['chat/completions', 'messages']),
    send: (call) => (call.endpoint === 'messages' ? messages.send(versioned(call)) : adapter.send(call)),
    batches: anthropicBatches(askNative(new Server(own, http1), { 'anthropic-version': version })),
    discover: (signal) => adapter.discover(signal),
  }
}

/** The same server, reached with the header that its API takes the key in. */
function messagesRecord(record: ProviderRecord): ProviderRecord {
  const { baseUrl, credential, headers } = record
  const key = credential === null ? {} : { 'x-api-key': credential.reveal() }
  return { ...record, baseUrl: baseUrl || usualBaseUrl, credential: null, headers: { ...key, ...headers } }
}

function versioned(call: UpstreamCall): UpstreamCall {
  return { ...call, headers: { 'anthropic-version': version, ...call.headers } }
}
