/** Cohere's client, whose rerank the gateway has: what it says is the best document. */
import { CohereClientV2 } from 'cohere-ai'
import type { Client } from './client.ts'

const documents = ['Trains leave at nine.', 'Hello, wörld 🌊']

export const cohereRerank: Client = {
  name: '`cohere-ai`, rerank (v2)',
  streams: false,
  images: false,
  async say({ url, apiKey, model }, { prompt, signal }) {
    const client = new CohereClientV2({ token: apiKey, baseUrl: `${url}/ai` })
    const { results } = await client.rerank(
      { model, query: prompt, documents, topN: 1 },
      { maxRetries: 0, ...(signal !== undefined && { abortSignal: signal }) },
    )
    return documents[results[0]?.index ?? 0] ?? ''
  },
}
