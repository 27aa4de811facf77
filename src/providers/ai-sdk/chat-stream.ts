/**
 * A streamed answer of the AI SDK's model interface as server-sent events of a chat completion. One
 * part is read when the reader asks, so a slow reader holds one event. Only an answer that the
 * vendor finished ends with [DONE]: an error inside becomes an error event, a break rejects.
 * Shape: https://platform.openai.com/docs/api-reference/chat/streaming
 */
import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { ReplyBody } from '#lib/http1/reply.ts'
import { UpstreamFailure } from '../provider.ts'
import { finishReasonOf, identityOf, imageOf, reasoningDetail, usageOf, type Identity } from './answer.ts'
import { streamedProblem } from './failure.ts'
import { Problem, problemBody } from './problem.ts'

type Part<T extends LanguageModelV4StreamPart['type']> = Extract<LanguageModelV4StreamPart, { type: T }>

/** The reader of a stream, of whichever of the runtime's two types. */
export interface PartReader {
  read(): Promise<{ readonly done: boolean; readonly value?: LanguageModelV4StreamPart | undefined }>
  cancel(): Promise<void>
}

export interface ChatStreamOptions {
  readonly identity: Identity
  readonly usageAsked: boolean
  readonly signal: AbortSignal
  /** Closes the upstream connection. */
  readonly abandon: () => void
}

interface OpenCall {
  readonly index: number
  /** Some arguments have been sent. */
  begun: boolean
  extraSent: boolean
}

interface OpenThought {
  text: string
  metadata: SharedV4ProviderMetadata | undefined
}

const encoder = new TextEncoder()

export class ChatStream implements ReplyBody {
  readonly #parts: PartReader
  readonly #options: ChatStreamOptions
  readonly #calls = new Map<string, OpenCall>()
  readonly #thoughts = new Map<string, OpenThought>()
  #identity: Identity
  /** A part that was read before the head of the answer went out. */
  #ahead: LanguageModelV4StreamPart | null
  #opened = false
  #ended = false

  constructor(parts: PartReader, ahead: LanguageModelV4StreamPart | null, options: ChatStreamOptions) {
    this.#parts = parts
    this.#ahead = ahead
    this.#options = options
    this.#identity = options.identity
  }

  async read(): Promise<Uint8Array | null> {
    while (!this.#ended) {
      const part = this.#ahead ?? (await this.#next())
      this.#ahead = null
      const text = this.#translated(part)
      if (text !== '') return encoder.encode(text)
    }
    return null
  }

  cancel(): void {
    if (this.#ended) return
    this.#ended = true
    this.#close()
  }

  async #next(): Promise<LanguageModelV4StreamPart> {
    const { signal } = this.#options
    try {
      const { value } = await this.#parts.read()
      signal.throwIfAborted()
      if (value !== undefined) return value
    } catch (thrown) {
      this.cancel()
      signal.throwIfAborted()
      throw new UpstreamFailure('reset', thrown)
    }
    throw this.#brokenOff()
  }

  /** The events for a part; an empty text for none. */
  #translated(part: LanguageModelV4StreamPart): string {
    switch (part.type) {
      case 'response-metadata':
        this.#identity = identityOf(part, this.#identity)
        return ''
      case 'text-delta':
        return part.delta === '' ? '' : this.#chunk({ content: part.delta })
      case 'reasoning-start':
      case 'reasoning-delta':
        return this.#thought(part)
      case 'reasoning-end':
        return this.#thoughtEnd(part)
      case 'tool-input-start':
        return part.providerExecuted === true ? '' : this.#callStart(part.id, part.toolName, part.providerMetadata)
      case 'tool-input-delta':
        return this.#callArguments(part.id, part.delta)
      case 'tool-call':
        return part.providerExecuted === true ? '' : this.#callEnd(part)
      case 'file':
        return this.#chunk({ images: [imageOf(part)] })
      case 'finish':
        return this.#finish(part)
      case 'error':
        return this.#fail(streamedProblem(part.error))
      default:
        return ''
    }
  }

  #thought(part: Part<'reasoning-start' | 'reasoning-delta'>): string {
    const thought = this.#thoughts.get(part.id) ?? { text: '', metadata: undefined }
    this.#thoughts.set(part.id, thought)
    thought.metadata = merged(thought.metadata, part.providerMetadata)
    if (part.type === 'reasoning-start' || part.delta === '') return ''
    thought.text += part.delta
    return this.#chunk({ reasoning_content: part.delta })
  }

  /** What the vendor wants back with a thought is complete only at its end, so it comes in one piece. */
  #thoughtEnd(part: Part<'reasoning-end'>): string {
    const thought = this.#thoughts.get(part.id)
    this.#thoughts.delete(part.id)
    const detail = reasoningDetail(thought?.text ?? '', merged(thought?.metadata, part.providerMetadata))
    return detail === null ? '' : this.#chunk({ reasoning_details: [detail] })
  }

  #callStart(id: string, name: string, metadata: SharedV4ProviderMetadata | undefined): string {
    const call = { index: this.#calls.size, begun: false, extraSent: metadata !== undefined }
    this.#calls.set(id, call)
    const extra = metadata === undefined ? {} : { extra_content: metadata }
    return this.#chunk({
      tool_calls: [{ index: call.index, id, type: 'function', function: { name, arguments: '' }, ...extra }],
    })
  }

  #callArguments(id: string, text: string): string {
    const call = this.#calls.get(id)
    if (call === undefined || text === '') return ''
    call.begun = true
    return this.#chunk({ tool_calls: [{ index: call.index, function: { arguments: text } }] })
  }

  /** Says what the pieces before did not: the whole call, if a package sends no pieces. */
  #callEnd(part: Part<'tool-call'>): string {
    const { toolCallId: id, providerMetadata } = part
    let text = this.#calls.has(id) ? '' : this.#callStart(id, part.toolName, providerMetadata)
    const call = this.#calls.get(id)
    if (call === undefined) return text
    if (!call.begun) text += this.#callArguments(id, part.input)
    if (!call.extraSent && providerMetadata !== undefined) {
      call.extraSent = true
      text += this.#chunk({ tool_calls: [{ index: call.index, function: {}, extra_content: providerMetadata }] })
    }
    return text
  }

  #finish({ finishReason, usage }: Part<'finish'>): string {
    // So a package says that the vendor's stream ended without its own last event.
    if (finishReason.raw === undefined && /^(interrupted|other|error)$/u.test(finishReason.unified)) {
      throw this.#brokenOff()
    }
    let text: string
    try {
      text = this.#chunk({}, finishReasonOf(finishReason))
    } catch (thrown) {
      return this.#fail(thrown instanceof Problem ? thrown : streamedProblem(thrown))
    }
    const counts = this.#options.usageAsked ? usageOf(usage) : null
    if (counts !== null) text += event({ ...this.#head(), choices: [], usage: counts })
    this.#ended = true
    // The vendor has said its last; what is left to read only returns the connection.
    void this.#drain()
    return `${text}data: [DONE]\n\n`
  }

  #fail(problem: Problem): string {
    this.cancel()
    return event(problemBody(problem))
  }

  #brokenOff(): UpstreamFailure {
    this.cancel()
    return new UpstreamFailure('reset', new Error('the stream ended before the answer'))
  }

  #chunk(delta: object, finish: string | null = null): string {
    const opening = this.#opened ? {} : { role: 'assistant', content: '' }
    this.#opened = true
    const choices = [{ index: 0, delta: { ...opening, ...delta }, logprobs: null, finish_reason: finish }]
    return event({ ...this.#head(), choices })
  }

  #head(): object {
    return { ...this.#identity, object: 'chat.completion.chunk' }
  }

  async #drain(): Promise<void> {
    try {
      while (!(await this.#parts.read()).done);
    } catch {
      // The answer was complete; how its connection ends does not matter.
    }
  }

  #close(): void {
    this.#options.abandon()
    // A stream that has failed cannot be cancelled, and need not be.
    this.#parts.cancel().catch(() => {})
  }
}

function merged(
  before: SharedV4ProviderMetadata | undefined,
  more: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined {
  if (before === undefined || more === undefined) return more ?? before
  const both: SharedV4ProviderMetadata = { ...before }
  for (const [vendor, own] of Object.entries(more)) both[vendor] = { ...both[vendor], ...own }
  return both
}

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`
}
