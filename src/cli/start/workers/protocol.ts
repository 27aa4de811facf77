/** What the supervisor and a worker say to each other. A worker serves the port as others do; the supervisor serves nothing. */
import type { StartFacts } from '../start-server.ts'

/** What a worker starts with. It reads the configuration itself. */
export interface WorkerOrder {
  /** Counted from 0. */
  readonly number: number
  /** The value of `--config`. */
  readonly configFile: string | undefined
  /** The values of `--set`. */
  readonly sets: readonly string[]
  readonly forgetCredentials: boolean
}

/** Expositions of workers by their numbers; null = it does not answer now. */
export type Expositions = readonly (readonly [number: number, exposition: string | null])[]

export type ToWorker =
  | { readonly kind: 'start'; readonly order: WorkerOrder }
  /** Asks for its metrics; again only when it has answered. */
  | { readonly kind: 'expose' }
  /** Those that it has asked for. */
  | { readonly kind: 'exposed'; readonly expositions: Expositions }
  /** Asks for a sign of life; again only when it has answered. */
  | { readonly kind: 'look' }
  | { readonly kind: 'stop' }

export type FromWorker =
  | { readonly kind: 'ready'; readonly facts: StartFacts }
  /** It cannot start, and why: a line each. It ends. */
  | { readonly kind: 'refused'; readonly lines: readonly string[] }
  /** The sign of life that it was asked for. */
  | { readonly kind: 'alive' }
  /** Its metrics; empty before it listens. */
  | { readonly kind: 'exposition'; readonly text: string }
  /** Asks for the metrics of the other workers; again only when it was answered. */
  | { readonly kind: 'gather' }
