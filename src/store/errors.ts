/**
 * What a store call can end with besides its answer, and how the engines' own errors become that.
 *
 * Callers see these classes and never an engine's error, unless the caller or this folder has a bug
 * (a duplicate id, wrong SQL): such an error passes through unchanged.
 */

/** The database cannot be reached or cannot serve now; the same call may succeed later. */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super(`The database cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.name = 'StoreUnavailable'
  }
}

/** A name, alias or e-mail address that must be unique is in use already. */
export class NameTaken extends Error {
  /** The value that clashes. */
  readonly taken: string

  constructor(taken: string) {
    super(`"${taken}" is already in use.`)
    this.name = 'NameTaken'
    this.taken = taken
  }
}

/** The row cannot be deleted while others refer to it. */
export class InUse extends Error {
  constructor(what: string, by: string) {
    super(`This ${what} is still used by ${by}.`)
    this.name = 'InUse'
  }
}

/** The row refers to another one that does not exist. */
export class Missing extends Error {
  /** What was referred to, for example `user`. */
  readonly what: string

  constructor(what: string) {
    super(`The ${what} referred to does not exist.`)
    this.name = 'Missing'
    this.what = what
  }
}

/** A composite stands for plain models only, so neither it nor one of its components can be the other. */
export class NotPlain extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotPlain'
  }
}

/** The change would leave no enabled administrator. */
export class LastAdministrator extends Error {
  constructor() {
    super('This is the last enabled administrator. Make another user an administrator first.')
    this.name = 'LastAdministrator'
  }
}

/** A worker's lease has ended, and another worker may have the job: nothing was written. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/** What the thrown refusals of a write mean to its caller. */
export interface Refusals {
  /** The value whose uniqueness the write can break. */
  readonly taken?: string | undefined
  /** Thrown when a foreign key refuses the write. */
  readonly reference?: Missing | InUse
}

/** Runs a write and turns what a constraint refuses into NameTaken, Missing or InUse. */
export async function refusing<T>(refusals: Refusals, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (thrown) {
    const violation = violationOf(thrown)
    if (violation === 'unique' && refusals.taken !== undefined) throw new NameTaken(refusals.taken)
    if (violation === 'reference' && refusals.reference !== undefined) throw refusals.reference
    throw thrown
  }
}

type Violation = 'unique' | 'primary' | 'reference'

/** Which kind of constraint an engine's error reports; null for any other error. */
export function violationOf(thrown: unknown): Violation | null {
  switch (codeOf(thrown)) {
    case 'SQLITE_CONSTRAINT_UNIQUE':
      return 'unique'
    case 'SQLITE_CONSTRAINT_PRIMARYKEY':
      return 'primary'
    // SQLite reports ON DELETE RESTRICT as a trigger; the schema has no other triggers.
    case 'SQLITE_CONSTRAINT_FOREIGNKEY':
    case 'SQLITE_CONSTRAINT_TRIGGER':
    case '23503':
    case '23001':
      return 'reference'
    case '23505':
      return propertyOf(thrown, 'constraint').endsWith('_pkey') ? 'primary' : 'unique'
    default:
      return null
  }
}

/**
 * The same for records that are changed in any order at once: a method that the engine ended because two waited for each
 * other runs again. Each method changes in one transaction, or in one statement.
 */
export function settlingDeadlocks<Aggregate extends object>(aggregate: Aggregate): Aggregate {
  return withAvailability(aggregate, deadlockRuns)
}

/** The other one of two goes on in the meantime; of many, a few lose more than once. */
const deadlockRuns = 5

/** The same object, with every method's engine errors about reaching the database made StoreUnavailable. */
export function withAvailability<Aggregate extends object>(aggregate: Aggregate, runs = 1): Aggregate {
  const wrapped = Object.entries(aggregate).map(
    ([name, method]: [string, (...args: unknown[]) => Promise<unknown>]) => [
      name,
      async (...args: unknown[]): Promise<unknown> => {
        for (let run = 1; ; run += 1) {
          try {
            return await method(...args)
          } catch (thrown) {
            if (run < runs && isDeadlock(thrown)) continue
            throw isUnavailable(thrown) ? new StoreUnavailable(thrown) : thrown
          }
        }
      },
    ],
  )
  return Object.fromEntries(wrapped) as Aggregate
}

/** SQLite result codes of a file that cannot be locked, read or written now. https://sqlite.org/rescode.html */
const sqliteUnavailable = /^SQLITE_(BUSY|LOCKED|IOERR|FULL|CANTOPEN|READONLY|CORRUPT|NOTADB|PERM|AUTH|NOMEM|PROTOCOL)/

/**
 * SQLSTATEs of a server that cannot serve now: connection (08), authorization (28), no such database
 * (3D), resources (53), cancelled or shutting down (57), system error (58), deadlock, a lock that was
 * not given in time, a transaction that was left alone for too long, and a server that has become read-only. https://www.postgresql.org/docs/15/errcodes-appendix.html
 */
const postgresUnavailable = /^(08...|28...|3D000|53...|57...|58...|40P01|55P03|25P03|25006)$/

/** Node's names for a socket that failed. */
const socketUnavailable = /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOENT|ERR_SOCKET)/

/** Errors without a code: of `pg` about its connection, of Bun and Kysely about a closed database. */
const messageUnavailable =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client (was closed|has encountered)|Cannot use a pool after|The server does not support SSL|Cannot use a closed database|driver has already been destroyed)/

/** Whether an engine's error means that the database cannot be reached or cannot serve now. */
export function isUnavailable(thrown: unknown): boolean {
  const code = codeOf(thrown)
  if (sqliteUnavailable.test(code) || postgresUnavailable.test(code) || socketUnavailable.test(code)) return true
  return thrown instanceof Error && messageUnavailable.test(thrown.message)
}

/** SQLSTATEs of a PostgreSQL that is starting or has no connection left, and of a connection that broke. */
const postgresNotYet = /^(08...|57P0.|53300)$/

/** Whether a StoreUnavailable is about the way to the database, not about how it was asked: a later try may succeed. */
export function isUnreachable(thrown: unknown): boolean {
  if (!(thrown instanceof StoreUnavailable)) return false
  const { cause } = thrown
  const code = codeOf(cause)
  if (code !== '') return postgresNotYet.test(code) || (socketUnavailable.test(code) && code !== 'ENOENT')
  return cause instanceof Error && /^(Connection terminated|timeout exceeded when trying)/.test(cause.message)
}

/** Whether a lock was not given in time, or a deadlock ended the wait for it: the same transaction may succeed later. */
export function isLockTimeout(thrown: unknown): boolean {
  return /^(55P03|40P01)$/.test(codeOf(thrown))
}

function isDeadlock(thrown: unknown): boolean {
  return codeOf(thrown) === '40P01'
}

function codeOf(thrown: unknown): string {
  return propertyOf(thrown, 'code')
}

function propertyOf(thrown: unknown, name: string): string {
  if (typeof thrown !== 'object' || thrown === null) return ''
  const value: unknown = Reflect.get(thrown, name)
  return typeof value === 'string' ? value : ''
}
