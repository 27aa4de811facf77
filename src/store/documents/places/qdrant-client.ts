/**
 * Calls of Qdrant's REST API, as far as vectors of documents need them. https://api.qdrant.tech/api-reference
 * What is sent waits for nothing else: each call has a time limit, and its failure says what Qdrant said.
 */
import type { QdrantAddress } from '../vector-places.ts'
import { VectorsUnavailable } from './vector-index.ts'

export interface QdrantCall {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** Below the collection. */
  readonly path: string
  readonly body?: unknown
  readonly timeoutMs: number
}

/** Qdrant answers in its own words; they are cut to so many characters. */
const reasonMax = 300

/** Does the call on a collection and returns what Qdrant calls the result; null when there is no such collection. */
export async function callQdrant(address: QdrantAddress, collection: string, call: QdrantCall): Promise<unknown> {
  const { method, path, body, timeoutMs } = call
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (address.apiKey !== null) headers['api-key'] = address.apiKey
  const url = `${address.url}/collections/${encodeURIComponent(collection)}${path}`
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    if (response.status === 404) return null
    if (!response.ok) throw new VectorsUnavailable(`Qdrant answered ${response.status}: ${text.slice(0, reasonMax)}`)
    return (JSON.parse(text) as { readonly result?: unknown }).result
  } catch (thrown) {
    if (thrown instanceof VectorsUnavailable) throw thrown
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    throw new VectorsUnavailable(`Qdrant does not answer: ${why}`)
  }
}

/** The collection of a space. */
export function collectionOf({ collections }: QdrantAddress, space: { readonly row: number }): string {
  return `${collections}_${space.row}`
}
