/**
 * A signal that is aborted with the first of several, and that lets go of them when it is disposed.
 * The runtime's AbortSignal.any keeps every signal that it makes for as long as the longest-lived of
 * its sources, and a source that lives as long as the process would keep one for each request.
 */
export class AnySignal implements Disposable {
  readonly #sources: readonly AbortSignal[]
  readonly #controller = new AbortController()

  constructor(sources: readonly AbortSignal[]) {
    this.#sources = sources
    for (const source of sources) source.addEventListener('abort', this.#follow)
    this.#follow()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  [Symbol.dispose](): void {
    for (const source of this.#sources) source.removeEventListener('abort', this.#follow)
  }

  readonly #follow = (): void => {
    const aborted = this.#sources.find((source) => source.aborted)
    if (aborted !== undefined) this.#controller.abort(aborted.reason)
  }
}
