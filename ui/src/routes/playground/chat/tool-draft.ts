/** A function that models may call, as it was entered. Nothing here touches the page. */
import type { ToolCall } from '../../../api/stream-chat.ts'

export interface ToolDraft {
  readonly name: string
  readonly description: string
  /** A JSON schema, as it was typed. */
  readonly parameters: string
  /** What the function always answers; empty: the person types the result of each call. */
  readonly response: string
}

export const newTool: ToolDraft = {
  name: '',
  description: '',
  parameters: `{
  "type": "object",
  "properties": {
    "city": { "type": "string", "description": "Name of the city" }
  },
  "required": ["city"],
  "additionalProperties": false
}`,
  response: '',
}

/** The object that a text is in JSON; null when it is none. */
export function parsedObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null
  } catch {
    return null
  }
}

/** Why a text cannot be a JSON schema; null when it can. */
export function schemaProblem(text: string): string | null {
  if (text.trim() === '') return 'Enter a JSON schema.'
  try {
    JSON.parse(text)
  } catch (thrown) {
    return `This is not JSON: ${thrown instanceof Error ? thrown.message : ''}`
  }
  return parsedObject(text) === null ? 'A JSON schema is an object: { "type": "object", … }' : null
}

/** Why a function cannot be called so; null when it can. */
export function nameProblem(name: string, others: readonly string[]): string | null {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return 'Up to 64 letters, digits, "_" and "-".'
  return others.includes(name) ? 'There is a function of this name.' : null
}

/** What the called functions always answer; null when there are no calls, or a person has to answer one. */
export function cannedResults(calls: readonly ToolCall[], tools: readonly ToolDraft[]): readonly string[] | null {
  const results = calls.flatMap(({ name }) => tools.find((tool) => tool.name === name)?.response || [])
  return calls.length > 0 && results.length === calls.length ? results : null
}
