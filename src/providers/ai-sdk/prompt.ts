/**
 * The messages of a chat completion as the prompt of the AI SDK's model interface (version 4).
 * Nothing is fetched on the caller's behalf: an address goes to the vendor, or is refused.
 */
import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4TextPart } from '@ai-sdk/provider'
import type { ChatMessage, ContentPart } from './chat-request.ts'
import { imagePart, audioPart, filePart, type SupportedUrls } from './media.ts'
import { notSupported, Problem } from './problem.ts'

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart
type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content']
type ToolResult = Extract<Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number], { type: 'tool-result' }>
type ProviderOptions = NonNullable<LanguageModelV4TextPart['providerOptions']>

/** The prompt in the order of the messages. Throws a Problem naming the part that has no counterpart. */
export function promptOf(messages: readonly ChatMessage[], urls: SupportedUrls): LanguageModelV4Message[] {
  const prompt: LanguageModelV4Message[] = []
  const toolNames = new Map<string, string>()
  for (const [index, message] of messages.entries()) {
    const param = `messages.${index}`
    if (message.role === 'tool') {
      const result = toolResult(message, toolNames, param)
      const last = prompt.at(-1)
      // The results of parallel calls belong to one turn.
      if (last?.role === 'tool') last.content.push(result)
      else prompt.push({ role: 'tool', content: [result] })
    } else if (message.role === 'assistant') {
      for (const call of message.tool_calls ?? []) toolNames.set(call.id, call.function.name)
      prompt.push({ role: 'assistant', content: assistantContent(message, param) })
    } else if (message.role === 'user') {
      prompt.push({ role: 'user', content: userContent(message, urls, param) })
    } else {
      prompt.push({ role: 'system', content: textOf(message, param) })
    }
  }
  return prompt
}

function userContent({ content }: ChatMessage, urls: SupportedUrls, param: string): UserPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return partsOf(content, param).map((part, index) => userPart(part, urls, `${param}.content.${index}`))
}

function userPart(part: ContentPart, urls: SupportedUrls, param: string): UserPart {
  if (part.type === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text }
  if (part.type === 'image_url' && part.image_url) return imagePart(part.image_url.url, urls, param)
  if (part.type === 'input_audio' && part.input_audio) return audioPart(part.input_audio, param)
  if (part.type === 'file' && part.file) return filePart(part.file, param)
  throw unreadable(part, param)
}

function assistantContent(message: ChatMessage, param: string): AssistantContent {
  const content: AssistantContent = []
  for (const { text, extra_content: extra } of message.reasoning_details ?? []) {
    // Without its vendor's mark a thought is useless to every vendor.
    if (extra) content.push({ type: 'reasoning', text: text ?? '', ...optionsOf(extra) })
  }
  const text = message.content || message.refusal ? textOf(message, param) : ''
  if (text !== '') content.push({ type: 'text', text })
  for (const [index, call] of (message.tool_calls ?? []).entries()) {
    const at = `${param}.tool_calls.${index}`
    if ((call.type ?? 'function') !== 'function') throw notSupported(at, 'only tools of type "function" are.')
    const { name } = call.function
    const input = argumentsOf(call.function.arguments, `${at}.function.arguments`)
    content.push({ type: 'tool-call', toolCallId: call.id, toolName: name, input, ...optionsOf(call.extra_content) })
  }
  return content
}

function toolResult(message: ChatMessage, toolNames: ReadonlyMap<string, string>, param: string): ToolResult {
  const toolCallId = message.tool_call_id ?? ''
  const toolName = toolNames.get(toolCallId)
  if (toolName === undefined) {
    throw new Problem(
      'A message of role "tool" must answer a call in "tool_calls" of an earlier message.',
      `${param}.tool_call_id`,
    )
  }
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: textOf(message, param) } }
}

/** The text of a message that can be nothing but text: its parts, one after the other. */
function textOf({ content, refusal }: ChatMessage, param: string): string {
  if (typeof content === 'string') return content
  if (!content && refusal) return refusal
  return partsOf(content, param)
    .map((part, index) => {
      const text = part.type === 'refusal' ? part.refusal : part.type === 'text' ? part.text : null
      if (typeof text !== 'string') throw unreadable(part, `${param}.content.${index}`)
      return text
    })
    .join('')
}

function partsOf(content: ChatMessage['content'], param: string): readonly ContentPart[] {
  if (Array.isArray(content)) return content
  throw new Problem('The message has no content.', `${param}.content`)
}

function argumentsOf(text: string, param: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem('The arguments of a tool call must be JSON.', param)
  }
}

function optionsOf(extra: Record<string, Record<string, unknown>> | null | undefined): {
  providerOptions?: ProviderOptions
} {
  return extra ? { providerOptions: extra as ProviderOptions } : {}
}

function unreadable(part: ContentPart, param: string): Problem {
  return notSupported(
    `${param}.type`,
    `a part of type "${part.type.slice(0, 50)}" is not possible here, or is not whole.`,
  )
}
