/** POST /ai/v1/chat/completions: a conversation answered, whole or streamed. */
import type { ModelCall } from './model-call.ts'
import { readChatRequest } from '../request/read-chat-request.ts'
import { relayAsRequested } from '../relay/relay-answer.ts'

export const chatCompletion: ModelCall = {
  endpoint: 'chat/completions',
  read: readChatRequest,
  asksUsage: true,
  relay: relayAsRequested,
}
