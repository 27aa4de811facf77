/** The official OpenAI client, set upon a gateway as a user would: a base URL and a key, nothing else. */
import OpenAI, { type ClientOptions } from 'openai'
import type { GatewayApp } from '#test/support/app/gateway-app.ts'

export function openAiClient(gateway: GatewayApp, options: ClientOptions = {}): OpenAI {
  return new OpenAI({ baseURL: `${gateway.url}/ai/v1`, apiKey: gateway.keys.main.secret, maxRetries: 0, ...options })
}
