/** Where the answers to the prompts of one request go, in whatever order they come. */
import type { ApiError } from '#errors/api-error.ts'
import type { TokenCounts } from '../model-session.ts'

/** How the answer to a prompt ended. */
export interface AnswerEnd {
  /** It had to have a form, and ran out of tokens before its end. */
  readonly incomplete: boolean
  readonly isCutShort: boolean
  /** Null when the upstream does not tell. */
  readonly usage: TokenCounts | null
}

/** What `return_metadata` asks for, as the interface writes it. */
export function metadataOf({ usage, isCutShort }: AnswerEnd): object {
  return {
    prompt_tokens: usage?.promptTokens ?? null,
    completion_tokens: usage?.completionTokens ?? null,
    finish_reason: isCutShort ? 'length' : 'stop',
  }
}

export interface AnswerSink {
  /** Texts of one prompt, in their order. Resolves when there is room for more of it. */
  texts(index: number, texts: readonly string[]): Promise<void>
  /** The prompt has been answered. */
  done(index: number, end: AnswerEnd): Promise<void>
  /** The prompt has failed, before or after its first text. The others go on unless the sink ends them. */
  failed(index: number, error: ApiError): Promise<void>
  /** No prompt is left. */
  finished(): void
}
