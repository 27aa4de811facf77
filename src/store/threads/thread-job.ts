/** What a thread of the store is told and answers: one job at a time, by name. */
import { BackupRefused } from '../backup.ts'
import { LeaseLost } from '../errors.ts'
import { InvalidCursor } from '../page.ts'

/** What a thread can be asked to do. */
export type Jobs<Names extends string> = { readonly [Name in Names]: (...args: never[]) => Promise<unknown> }

export interface Job {
  readonly name: string
  readonly args: readonly unknown[]
}

/** The name of the job that closes what the thread has open; the next job would open it again. */
export const closing = 'close'

export type Answer = { readonly value?: unknown } | { readonly failure: Failure }

/** An error on its way to the other thread. */
export interface Failure {
  readonly name: string
  readonly message: string
  /** The engine's code; empty for other errors. */
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
  if (name === 'LeaseLost') return new LeaseLost(message)
  return Object.assign(new Error(message), { name, stack }, code === '' ? {} : { code })
}
