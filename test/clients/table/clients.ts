/** The rows of the table. */
import { agentsChat, agentsResponses } from './agents.ts'
import { aiAnthropic, aiCompatible, aiOpenAi, aiOpenAiChat } from './ai-sdk.ts'
import { anthropicMessages } from './anthropic.ts'
import type { Client } from './client.ts'
import { cohereRerank } from './cohere.ts'
import { langChainChat, langChainResponses } from './langchain.ts'
import { openAiChat, openAiResponses } from './openai.ts'

export const clients: readonly Client[] = [
  openAiChat,
  openAiResponses,
  anthropicMessages,
  aiOpenAi,
  aiOpenAiChat,
  aiAnthropic,
  aiCompatible,
  langChainChat,
  langChainResponses,
  agentsResponses,
  agentsChat,
  cohereRerank,
]
