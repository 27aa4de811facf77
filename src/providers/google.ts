/** Google's Gemini API: chats and embeddings through the adapter of the AI SDK, and batches of its own. */
import type { ProviderRecord } from '#catalog/records.ts'
import type { Http1Client } from '#lib/http1/client.ts'
import { aiSdkProvider } from './ai-sdk.ts'
import { googleBatches } from './google-batches.ts'
import { askNative, Server } from './openai.ts'
import type { Provider } from './provider.ts'

const usualBaseUrl = 'https://generativelanguage.googleapis.com/v1beta'

export function googleProvider(record: ProviderRecord, http1: Http1Client): Provider {
  const baseUrl = record.baseUrl || usualBaseUrl
  const key = record.credential === null ? {} : { 'x-goog-api-key': record.credential.reveal() }
  const ask = (place: string, headers: Readonly<Record<string, string>> = {}) =>
    askNative(
      new Server(
        { ...record, baseUrl: beside(baseUrl, place), credential: null, headers: { ...key, ...record.headers } },
        http1,
      ),
      headers,
    )
  return {
    ...aiSdkProvider(record),
    batches: googleBatches(record, {
      api: ask(''),
      upload: ask('upload/', { 'x-goog-upload-protocol': 'multipart' }),
      download: ask('download/'),
    }),
  }
}

/** Bytes of files have addresses of their own: `/upload/v1beta` beside `/v1beta`. */
function beside(baseUrl: string, place: string): string {
  const url = new URL(baseUrl)
  url.pathname = url.pathname.replace(/\/+$/, '').replace(/[^/]*$/, (version) => place + version)
  return url.href
}
