/** The practice provider for tests that need no server, and the official client set upon it. */
import OpenAI from 'openai'
import type { ProviderRecord } from '#catalog/records.ts'
import { demoProvider } from '#providers/demo.ts'
import type { Endpoint } from '#providers/provider.ts'
import { upstreamCall } from '../contract/provider-contract.ts'
import { responseOf } from '../network/reply-response.ts'

const record: ProviderRecord = {
  id: '00000000-0000-4000-8000-000000000001',
  name: 'demo',
  kind: 'demo',
  baseUrl: '',
  credential: null,
  headers: {},
  timeouts: {},
  options: {},
  reasoning: null,
  maxConcurrent: null,
  servers: null,
  enabled: true,
  declared: true,
  createdAt: 0,
}

export const demo = demoProvider(record)

/** The official client, with the provider in place of the network. */
export const demoClient = new OpenAI({
  apiKey: 'none',
  baseURL: 'http://demo.invalid/v1',
  maxRetries: 0,
  fetch: async (url, init) => {
    if (typeof url !== 'string' || typeof init?.body !== 'string')
      throw new Error('the client is expected to send text')
    const endpoint = new URL(url).pathname.slice('/v1/'.length) as Endpoint
    const body = JSON.parse(init.body) as Record<string, unknown>
    return responseOf(await demo.send(upstreamCall(endpoint, body, init.signal ?? undefined)))
  },
})
