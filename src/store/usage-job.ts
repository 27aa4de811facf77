/**
 * What the main thread and the thread of usage-worker.ts say to each other, as JSON texts. A text
 * passes between threads without being copied object by object: for a batch of records, writing and
 * reading it costs half of what the runtime's own cloning does.
 */
import { BackupRefused } from './backup.ts'
import { InvalidCursor } from './page.ts'
import type { UsageWork } from './usage.ts'

/** What the thread can be asked to do; one at a time. */
export interface UsageJobs extends UsageWork {
  /** As `backup` of backup.ts. */
  backup(file: string): Promise<void>
  /** Closes the connection; the next job would open it again. */
  close(): Promise<void>
}

export interface UsageJob {
  readonly name: keyof UsageJobs
  readonly args: readonly unknown[]
}

export type UsageAnswer = { readonly value?: unknown } | { readonly failure: Failure }

/** An error on its way to the other thread. */
export interface Failure {
  readonly name: string
  readonly message: string
  /** Of the engine; empty for other errors. */
  readonly code: string
  readonly stack: string
}

/** An error in the form that can be sent. */
export function failureOf(thrown: unknown): Failure {
  if (!(thrown instanceof Error)) return { name: 'Error', message: String(thrown), code: '', stack: '' }
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''
  return { name: thrown.name, message: thrown.message, code, stack: thrown.stack ?? '' }
}

/** The error that was sent: of its class where callers look at the class, otherwise with the engine's code. */
export function errorOf({ name, message, code, stack }: Failure): Error {
  if (name === 'InvalidCursor') return new InvalidCursor()
  if (name === 'BackupRefused') return new BackupRefused(message)
  return Object.assign(new Error(message), { name, stack }, code === '' ? {} : { code })
}
