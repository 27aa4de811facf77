/**
 * What a command of the command line is: data for parsing and help, and a function. The table is in
 * commands.ts; adding a command means adding a row to one of the files that it is made of.
 */
import type { Output } from './output.ts'

/**
 * How the process ends: 0 done; 1 refused or failed while running; 2 the command, the configuration
 * or the machine has to be fixed first.
 */
export type ExitCode = 0 | 1 | 2

export interface Flag {
  readonly type: 'string' | 'boolean'
  /** What the help shows in place of the value; strings only. */
  readonly placeholder?: string
  readonly repeatable?: boolean
  readonly sentence: string
}

export interface Positional {
  readonly name: string
  readonly sentence: string
  readonly optional?: boolean
  /** Takes all that follow; the last one only. */
  readonly repeatable?: boolean
}

export interface Command {
  /** One or two words: `keys create`. */
  readonly name: string
  readonly summary: string
  /** Further sentences for its own help. */
  readonly details?: string
  readonly positionals?: readonly Positional[]
  readonly flags?: Readonly<Record<string, Flag>>
  readonly run: (invocation: Invocation) => Promise<ExitCode>
}

/** One call of a command, checked against its record. */
export interface Invocation {
  readonly positionals: readonly string[]
  readonly flags: GivenFlags
  readonly output: Output
}

/** The flags that were given. */
export interface GivenFlags {
  /** The last value, or undefined. */
  get(name: string): string | undefined
  /** Every value, in order. */
  all(name: string): readonly string[]
  /** Whether a boolean flag was given. */
  has(name: string): boolean
}

/** The command was called wrongly: one sentence, exit code 2. */
export class UsageProblem extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageProblem'
  }
}

/** The command was understood and could not be done: one sentence, exit code 1. */
export class CommandFailure extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CommandFailure'
  }
}
