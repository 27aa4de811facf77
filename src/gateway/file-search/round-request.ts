/**
 * The requests of which an answer with `file_search` is made: the client's own, in which the tool is a function that the
 * gateway answers itself, and then the same with what was called and found behind its input.
 */
import { isObject } from '#lib/json-value.ts'
import type { Fields } from '../request/fields.ts'
import { isOwnFileSearch, resultsInclude } from '../request/file-search-tool.ts'

type Item = Readonly<Record<string, unknown>>

/** More rounds than that search no longer. */
export const roundsMax = 8

const description =
  'Searches the files of the user. Ask several short questions at once when that helps. The result has numbered passages; put the number of a passage in such brackets, for example 【1】, right behind each statement that you take from it.'

/** The client's request, taken apart. */
export interface SearchedRequest {
  /** What the function is called. */
  readonly name: string
  readonly fields: Fields
  readonly input: readonly unknown[]
  /** Searches that the client allows; null for no limit of its own. */
  readonly searchesMax: number | null
}

export function searchedRequest(fields: Fields): SearchedRequest {
  const { input, max_tool_calls: most } = fields
  const items: readonly unknown[] = Array.isArray(input) ? input : [{ role: 'user', content: input ?? '' }]
  const tools = fields['tools'] as readonly unknown[]
  const isTaken = tools.some((tool) => isObject(tool) && tool['name'] === 'file_search')
  return {
    name: isTaken ? 'search_vector_stores' : 'file_search',
    fields,
    // What an earlier search found is in the message that follows it.
    input: items.filter((item) => !isObject(item) || item['type'] !== 'file_search_call'),
    searchesMax: typeof most === 'number' ? most : null,
  }
}

/** The body of the next round. `maySearch` offers the function. */
export function roundBody(
  { fields, input, name }: SearchedRequest,
  more: readonly Item[],
  maySearch: boolean,
): Record<string, unknown> {
  const { include, tools, tool_choice: choice, max_tool_calls: _calls, background: _background, ...rest } = fields
  const offered = (tools as readonly unknown[]).flatMap((tool) =>
    !isOwnFileSearch(tool) ? [tool] : maySearch ? [functionOf(name)] : [],
  )
  const isFirst = more.length === 0
  const chosen = isFirst ? choiceOf(choice, name) : isForced(choice) ? 'auto' : choiceOf(choice, name)
  return {
    ...rest,
    input: [...input, ...more],
    ...(offered.length > 0 && { tools: offered }),
    ...(offered.length > 0 && chosen !== undefined && { tool_choice: chosen }),
    ...(Array.isArray(include) && { include: include.filter((each) => each !== resultsInclude) }),
    store: false,
    stream: true,
  }
}

/** The items of a round as the input of the next: without ids, which mean something to nobody else. */
export function asInput(output: readonly unknown[]): readonly Item[] {
  return output.filter(isObject).flatMap((item): Item[] => {
    const { id: _, status: _status, ...rest } = item
    if (item['type'] !== 'reasoning') return [rest]
    // What a provider thought is nothing to it without its seal.
    return typeof item['encrypted_content'] === 'string' ? [item] : []
  })
}

/** The questions in the arguments of a call; none when they cannot be read. */
export function queriesIn(text: unknown): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(String(text))
    const { queries, query } = isObject(parsed) ? parsed : {}
    return [Array.isArray(queries) ? queries : [query]]
      .flat()
      .filter((each): each is string => typeof each === 'string' && each.trim() !== '')
      .map((each) => each.slice(0, 2000))
      .slice(0, 5)
  } catch {
    return []
  }
}

function functionOf(name: string): Item {
  const queries = { type: 'array', items: { type: 'string' }, description: 'Questions, or words to look for' }
  const parameters = { type: 'object', properties: { queries }, required: ['queries'], additionalProperties: false }
  return { type: 'function', name, description, parameters, strict: false }
}

function isForced(choice: unknown): boolean {
  return choice === 'required' || (isObject(choice) && choice['type'] !== 'allowed_tools')
}

function choiceOf(choice: unknown, name: string): unknown {
  if (!isObject(choice)) return choice
  if (choice['type'] === 'file_search') return { type: 'function', name }
  const { tools } = choice
  if (choice['type'] !== 'allowed_tools' || !Array.isArray(tools)) return choice
  const named = tools.map((tool: unknown) =>
    isObject(tool) && tool['type'] === 'file_search' ? { type: 'function', name } : tool,
  )
  return { ...choice, tools: named }
}
