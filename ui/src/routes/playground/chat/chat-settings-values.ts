/** The settings of a chat as they are typed, and as request parameters. */
import type { ChatMessage } from '../../../api/stream-chat.ts'

export interface ChatSettings {
  /** The first model; null until the models are known. */
  readonly model: string | null
  /** The model to compare with; null = no comparison. */
  readonly second: string | null
  readonly system: string
  readonly temperature: string
  readonly topP: string
  readonly maxTokens: string
  readonly effort: string
  /** Answers use the documents that the user can see. */
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

/** The known reasoning efforts by model. */
export type Efforts = ReadonlyMap<string, readonly string[]>

export interface ChatFields {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly [field: string]: unknown
}

/** The request body. Empty settings are left to the provider; an effort is sent only to a model that supports it. */
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
