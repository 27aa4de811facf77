/** The settings of a chat as they are typed, and as request parameters. */
import type { ChatMessage } from '../../../api/stream-chat.ts'
import { parsedObject, type ToolDraft } from './tool-draft.ts'

export interface ChatSettings {
  /** The first model; null until the models are known. */
  readonly model: string | null
  /** The models to compare it with. */
  readonly others: readonly string[]
  readonly system: string
  readonly temperature: string
  readonly topP: string
  readonly maxTokens: string
  readonly effort: string
  /** Functions that the model may call. */
  readonly tools: readonly ToolDraft[]
  /** `auto`, `none`, `required`, or the name of a function. */
  readonly toolChoice: string
  readonly format: AnswerFormat
  /** The JSON schema of the answer, as it was typed. */
  readonly schema: string
  /** Answers use the documents that the user can see. */
  readonly overDocuments: boolean
  readonly category: string
  readonly topK: string
}

export const answerFormats = ['text', 'json_object', 'json_schema'] as const
export type AnswerFormat = (typeof answerFormats)[number]

/** More do not fit beside each other. */
export const comparedMax = 4

export const standardSettings: ChatSettings = {
  model: null,
  others: [],
  system: '',
  temperature: '',
  topP: '',
  maxTokens: '',
  effort: '',
  tools: [],
  toolChoice: 'auto',
  format: 'text',
  schema: '',
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
    ...toolFields(settings),
    ...formatFields(settings),
    ...(overDocuments && { documents }),
  }
}

function toolFields({ tools, toolChoice }: ChatSettings): Readonly<Record<string, unknown>> {
  if (tools.length === 0) return {}
  const named = tools.some(({ name }) => name === toolChoice)
  const choice = named ? { type: 'function', function: { name: toolChoice } } : toolChoice
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, ...(description !== '' && { description }), parameters: parsedObject(parameters) ?? {} },
    })),
    ...((named || toolChoice === 'none' || toolChoice === 'required') && { tool_choice: choice }),
  }
}

function formatFields({ format, schema }: ChatSettings): Readonly<Record<string, unknown>> {
  if (format === 'text') return {}
  if (format === 'json_object') return { response_format: { type: format } }
  const parsed = parsedObject(schema)
  // Without a schema the answer is text: the settings say so.
  return parsed === null ? {} : { response_format: { type: format, json_schema: { name: 'answer', schema: parsed } } }
}

function numberField(name: string, typed: string): Readonly<Record<string, number>> {
  const value = Number(typed)
  return typed.trim() === '' || !Number.isFinite(value) ? {} : { [name]: value }
}
