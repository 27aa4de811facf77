/** Reads settings of a chat that were kept or imported: whatever a file holds, they are settings that can be shown. */
import { answerFormats, comparedMax, type ChatSettings } from './chat-settings-values.ts'
import { nameProblem, parsedObject, type ToolDraft } from './tool-draft.ts'

const texts = [
  'model',
  'system',
  'temperature',
  'topP',
  'maxTokens',
  'effort',
  'toolChoice',
  'schema',
  'category',
  'topK',
] as const

/** More functions than a person enters. */
const toolsMax = 128

/** The settings that a value holds; what cannot be read is left out. */
export function settingsOf(value: unknown): Partial<ChatSettings> {
  if (!isRecord(value)) return {}
  const { others, second, tools, format, overDocuments } = value
  const known = texts.flatMap((name) => (typeof value[name] === 'string' ? [[name, value[name]]] : []))
  const names = Array.isArray(others) ? others.filter((each) => typeof each === 'string') : []
  return {
    ...(Object.fromEntries(known) as object),
    // Versions before compared with one other model.
    ...(second !== undefined && { others: typeof second === 'string' ? [second] : [] }),
    ...(Array.isArray(others) && { others: names.slice(0, comparedMax - 1) }),
    ...(Array.isArray(tools) && { tools: toolsOf(tools) }),
    ...(answerFormats.some((each) => each === format) && { format: format as ChatSettings['format'] }),
    ...(typeof overDocuments === 'boolean' && { overDocuments }),
  }
}

function toolsOf(all: readonly unknown[]): readonly ToolDraft[] {
  const tools: ToolDraft[] = []
  for (const each of all.slice(0, toolsMax)) {
    if (!isRecord(each)) continue
    const { name, description, parameters, response } = each
    const tool = {
      name: textOf(name),
      description: textOf(description),
      parameters: textOf(parameters),
      response: textOf(response),
    }
    const isUsable =
      nameProblem(
        tool.name,
        tools.map((other) => other.name),
      ) === null
    if (isUsable && parsedObject(tool.parameters) !== null) tools.push(tool)
  }
  return tools
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
