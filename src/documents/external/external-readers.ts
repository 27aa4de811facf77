/**
 * The readers on other servers that the setting `documents.readers` names: which of them reads a file, and its answer as a
 * file that a reading process takes apart. Their addresses are the operator's choice, so they may be private; a redirect is
 * not followed.
 */
import type { ExternalReaderEntry } from '#config/settings/external-readers.ts'
import type { Clock } from '#lib/clock.ts'
import type { Http1Client } from '#lib/http1/client.ts'
import { piecesOf } from '#lib/http1/reply.ts'
import type { Logger } from '#observe/log.ts'
import type { Metrics } from '#observe/metrics.ts'
import type { ExternalReaderKind } from '#readers/external/external-answer.ts'
import { FileTooLarge, holdPieces } from '../blobs/write-pieces.ts'
import type { FileToSend } from './form-stream.ts'
import { ReaderAway, ReaderCall, ReaderRefused } from './reader-call.ts'
import { readerProtocols } from './reader-protocols.ts'

export interface ExternalReadersOptions {
  readonly entries: readonly ExternalReaderEntry[]
  readonly client: Http1Client
  readonly metrics: Pick<Metrics, 'readerCall'>
  readonly clock: Clock
  readonly logger: Logger
  /** Most bytes of an answer. */
  readonly answerBytesMax: () => number
  /** The media types of a built-in reader. */
  readonly mediaTypesOf: (reader: string) => readonly string[]
}

export interface ExternalReader {
  readonly name: string
  readonly kind: ExternalReaderKind
}

export type ExternalOutcome =
  | { readonly kind: 'answered' }
  /** What it did, to be put after its name. */
  | { readonly kind: 'refused' | 'away'; readonly what: string }

/** A reader that does not answer is left out for this long: its files would each wait for it. */
const leftOutMs = 30_000

interface Known extends ExternalReader {
  readonly entry: ExternalReaderEntry
  readonly takes: (mediaType: string) => boolean
  leftOutUntil: number
}

export class ExternalReaders {
  readonly #options: ExternalReadersOptions
  readonly #readers: readonly Known[]

  constructor(options: ExternalReadersOptions) {
    this.#options = options
    this.#readers = options.entries.map((entry) => ({
      name: entry.name,
      kind: entry.kind,
      entry,
      takes: takerOf(entry.types.flatMap((type) => (type.includes('/') ? [type] : options.mediaTypesOf(type)))),
      leftOutUntil: -Infinity,
    }))
  }

  /** What imports may name. */
  get names(): readonly string[] {
    return this.#readers.map(({ name }) => name)
  }

  /** Who reads a file of this type: the reader that was named, or for `auto` the first that takes the type. */
  readerFor(named: string, mediaType: string): ExternalReader | null {
    const fits = ({ name, takes }: Known): boolean => (named === 'auto' ? takes(mediaType) : named === name)
    return this.#readers.find(fits) ?? null
  }

  /** Writes the answer to `to`, where no file may be. Rejects with the signal's reason. */
  async read({ name }: ExternalReader, file: FileToSend, to: string, signal: AbortSignal): Promise<ExternalOutcome> {
    const { clock, metrics, logger } = this.#options
    const reader = this.#readers.find((each) => each.name === name)
    if (reader === undefined) return { kind: 'away', what: 'is no longer configured' }
    const begun = clock.elapsed()
    if (begun < reader.leftOutUntil) return { kind: 'away', what: 'did not answer a moment ago' }
    try {
      await this.#write(reader.entry, file, to, signal)
      metrics.readerCall(name, 'answered', clock.elapsed() - begun)
      return { kind: 'answered' }
    } catch (thrown) {
      signal.throwIfAborted()
      if (!(thrown instanceof ReaderAway || thrown instanceof ReaderRefused)) throw thrown
      const kind = thrown instanceof ReaderAway ? 'away' : 'refused'
      metrics.readerCall(name, kind, clock.elapsed() - begun)
      logger.warn('a reader on another server did not read a file', { reader: name, error: thrown })
      if (thrown instanceof ReaderAway && thrown.isDown) reader.leftOutUntil = clock.elapsed() + leftOutMs
      return { kind, what: thrown.message }
    }
  }

  async #write(entry: ExternalReaderEntry, file: FileToSend, to: string, signal: AbortSignal): Promise<void> {
    const { client, answerBytesMax } = this.#options
    const { url, kind, credential, fields, seconds } = entry
    using call = new ReaderCall({ client, url, timeoutMs: seconds * 1000, signal })
    try {
      const { body } = await readerProtocols[kind]({ call, file, credential, fields })
      try {
        await holdPieces(to, piecesOf(body), answerBytesMax())
      } finally {
        body.cancel()
      }
    } catch (thrown) {
      if (thrown instanceof FileTooLarge) throw new ReaderRefused(`answered with more than ${answerBytesMax()} bytes`)
      throw call.failureOf(thrown)
    }
  }
}

function takerOf(types: readonly string[]): (mediaType: string) => boolean {
  const exact = new Set(types)
  const families = types.filter((type) => type.endsWith('/*')).map((type) => type.slice(0, -1))
  return (mediaType) => exact.has(mediaType) || families.some((family) => mediaType.startsWith(family))
}
