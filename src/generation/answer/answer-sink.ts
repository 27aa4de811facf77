/** Where the answers to the prompts of one request go, in whatever order they come. */
import type { ApiError } from '#errors/api-error.ts'

export interface AnswerSink {
  /** Texts of one prompt, in their order. Resolves when there is room for more of it. */
  texts(index: number, texts: readonly string[]): Promise<void>
  /** The prompt has been answered. `incomplete`: it had to have a form, and ran out of tokens before its end. */
  done(index: number, incomplete: boolean): Promise<void>
  /** The prompt has failed, before or after its first text. The others go on unless the sink ends them. */
  failed(index: number, error: ApiError): Promise<void>
  /** No prompt is left. */
  finished(): void
}
