/** What a chat is asked with beside its messages, as it is typed, and as a request has it. */
import type { ChatMessage } from '../../../api/stream-chat.ts'

export interface ChatSettings {
  /** Model of the first lane; null until one is known. */
  readonly model: string | null
  /** Model of the second lane; null = one lane. */
  readonly second: string | null
  readonly system: string
  readonly temperature: string
  readonly topP: string
  readonly maxTokens: string
  readonly effort: string
  /** Answers rest on the documents that the user can see. */
  readonly overDocuments: boolean
  readonly category: string
  readonly topK: string
}

export const standardSettings: ChatSettings = {
  model: null,
  second: null,
  system: '',
  temperature: '',
  topP: '',
  maxTokens: '',
  effort: '',
  overDocuments: false,
  category: '',
  topK: '',
}

/** Reasoning efforts by model, of those where they are known. */
export type Efforts = ReadonlyMap<string, readonly string[]>

export interface ChatFields {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly [field: string]: unknown
}

/** The body of a request. What is empty is left to the provider; an effort only goes to a model that has it. */
export function chatFields(
  settings: ChatSettings,
  efforts: Efforts,
  { model, messages }: { readonly model: string; readonly messages: readonly ChatMessage[] },
): ChatFields {
  const { temperature, topP, maxTokens, effort, overDocuments, category, topK } = settings
  const documents = { ...(category.trim() !== '' && { category: category.trim() }), ...numberField('top_k', topK) }
  return {
    model,
    messages,
    ...numberField('temperature', temperature),
    ...numberField('top_p', topP),
    ...numberField('max_tokens', maxTokens),
    ...(effort !== '' && efforts.get(model)?.includes(effort) === true && { reasoning_effort: effort }),
    ...(overDocuments && { documents }),
  }
}

function numberField(name: string, typed: string): Readonly<Record<string, number>> {
  const value = Number(typed)
  return typed.trim() === '' || !Number.isFinite(value) ? {} : { [name]: value }
}
