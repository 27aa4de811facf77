/**
 * Writes what the practice provider says. Every statement is counted or measured in the request;
 * the same request always gives the same answer.
 */
import type { Directives } from './directives.ts'
import type { Picture } from './picture.ts'
import type { ChatMessage, ChatRequest, SamplingRequest } from './request.ts'
import { textOfMessage } from './request.ts'
import { DemoProblem } from './problem.ts'
import { schemaInstance } from './schema-instance.ts'

/** What has been found out about a request. */
export interface Facts {
  readonly model: string
  /** Tokens of the whole prompt, as billed in `usage`. */
  readonly promptTokens: number
  readonly systemText: string
  readonly systemTokens: number
  readonly messages: number
  /** Code points of all text in the request. */
  readonly characters: number
  /** The last user message, or the prompt. */
  readonly lastText: string
  /** What a tool gave back, when that is the newest thing said. */
  readonly toolResult: string | null
  readonly otherParts: readonly string[]
  readonly pictures: readonly Picture[]
  readonly toolNames: readonly string[]
}

const echoCharsMax = 2000
const introduction =
  'the practice provider of this gateway. There is no model behind me: I only report what can be counted in your request.'

/** Facts that can be read off the messages; the counts of tokens come from the caller. */
export function chatFacts(
  request: ChatRequest,
  measured: Pick<Facts, 'promptTokens' | 'systemTokens' | 'pictures'>,
): Facts {
  const { messages } = request
  const newest = messages.at(-1)
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  return {
    ...measured,
    model: request.model,
    systemText: systemTextOf(messages),
    messages: messages.length,
    characters: messages.reduce((sum, message) => sum + codePoints(textOfMessage(message)), 0),
    lastText: lastUserText(messages),
    toolResult: newest?.role === 'tool' ? textOfMessage(newest) : null,
    otherParts: parts.map(({ type }) => type).filter((type) => type !== 'text' && type !== 'image_url'),
    toolNames: (request.tools ?? []).flatMap((tool) => (tool.function ? [tool.function.name] : [])),
  }
}

/** All system and developer messages as one text. */
export function systemTextOf(messages: readonly ChatMessage[]): string {
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer')
  return system.map(textOfMessage).join('\n')
}

/** The text of the last user message; empty when there is none. */
export function lastUserText(messages: readonly ChatMessage[]): string {
  const last = messages.findLast(({ role }) => role === 'user')
  return last === undefined ? '' : textOfMessage(last)
}

/** The answer in the form asked for: JSON that fits the schema, a JSON object, filler, or plain sentences. */
export function answerText(request: SamplingRequest, facts: Facts, directives: Directives): string {
  const format = request.response_format
  if (format?.type === 'json_schema') return schemaAnswer(format.json_schema?.schema)
  if (directives.json || format?.type === 'json_object') return JSON.stringify(factsAsJson(facts))
  if (directives.longTokens !== null) return filler(directives.longTokens)
  return sentences(facts, directives).join('\n\n')
}

function schemaAnswer(schema: unknown): string {
  const instance = schemaInstance(schema ?? true)
  if (instance !== undefined) return JSON.stringify(instance)
  const param = 'response_format.json_schema.schema'
  throw new DemoProblem(
    'The practice provider finds no value that satisfies this JSON schema.',
    param,
    'invalid_json_schema',
  )
}

/** About this many tokens: a line below has eleven or twelve. */
function filler(tokens: number): string {
  const lines = Math.ceil(tokens / 11)
  return Array.from(
    { length: lines },
    (_, line) => `${line + 1}. This line is filler from the practice provider.`,
  ).join('\n')
}

function sentences(facts: Facts, directives: Directives): readonly string[] {
  const { model, messages, characters, promptTokens, systemText, systemTokens } = facts
  const said: string[] = [`I am ${model}, ${introduction}`]
  const sent = messages === 0 ? 'a prompt' : counted(messages, 'message')
  said.push(`You sent ${sent} with ${counted(characters, 'character')}, ${counted(promptTokens, 'token')} in all.`)
  if (systemText !== '') {
    said.push(
      `The system prompt has ${counted(codePoints(systemText), 'character')} (${counted(systemTokens, 'token')}).`,
    )
  }
  said.push(...facts.pictures.map((picture, index) => pictureSentence(picture, index + 1)))
  for (const type of new Set(facts.otherParts)) said.push(`I do not read the part of type "${type}".`)
  if (facts.toolNames.length > 0)
    said.push(`You offer ${counted(facts.toolNames.length, 'tool')}: ${facts.toolNames.join(', ')}.`)
  if (directives.tool && facts.toolResult === null)
    said.push('You asked for a tool call, but there is no tool that I may call.')
  if (facts.toolResult !== null) said.push(`The tool gave back: "${excerpt(facts.toolResult)}"`)
  said.push(facts.lastText === '' ? 'Your last message has no text.' : `Your text was: "${excerpt(facts.lastText)}"`)
  return said
}

function pictureSentence(picture: Picture, number: number): string {
  const name = `Picture ${number}`
  if (picture.kind === 'remote') return `${name} is at a remote address. I do not fetch pictures from the network.`
  const size = counted(picture.bytes, 'byte')
  if (picture.kind === 'opaque')
    return `${name} is a ${picture.format} file of ${size}, which this machine cannot unpack.`
  const colours = picture.colours.map(({ name: colour, percent }) => `${colour} (${percent} %)`).join(', ')
  return `${name} is a ${picture.format} of ${picture.width} × ${picture.height} pixels (${size}). Most common colours: ${colours}.`
}

function factsAsJson(facts: Facts): object {
  return {
    provider: 'demo',
    model: facts.model,
    note: `I am ${introduction}`,
    messages: facts.messages,
    characters: facts.characters,
    prompt_tokens: facts.promptTokens,
    system_characters: codePoints(facts.systemText),
    system_tokens: facts.systemTokens,
    pictures: facts.pictures,
    other_parts: facts.otherParts,
    tools: facts.toolNames,
    text: excerpt(facts.lastText),
  }
}

/** Number of Unicode code points, which is what people call characters more nearly than UTF-16 units. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

function excerpt(text: string): string {
  // Twice the units always hold enough code points, and long text is not spread into an array.
  const start = Array.from(text.slice(0, echoCharsMax * 2))
    .slice(0, echoCharsMax)
    .join('')
  return start.length < text.length ? `${start}…` : start
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
