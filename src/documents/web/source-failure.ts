/** Why something on the web could not be fetched: one sentence for people, without secrets. */

export class SourceFailure extends Error {
  override readonly name = 'SourceFailure'
  /** Whether it may be different in a while. */
  readonly mayPass: boolean
  /** That of the answer; null when there was none, or when it was not at fault. */
  readonly status: number | null

  constructor(
    message: string,
    {
      mayPass = false,
      status = null,
      cause,
    }: { readonly mayPass?: boolean; readonly status?: number | null; readonly cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.mayPass = mayPass
    this.status = status
  }
}
