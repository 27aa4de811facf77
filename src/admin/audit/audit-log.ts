/**
 * Writes what happens in the admin API into the audit log: changes, by the one function through which all routes that
 * are not a GET go, and sign-ins. A record is written as the API's own GET shows it, which never shows a secret.
 */
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller, User } from '#identity/records.ts'
import type { Clock } from '#lib/clock.ts'
import type { Logger } from '#observe/log.ts'
import type { AuditEntry, AuditOutcome, AuditSource, AuditStore } from '#store/audit.ts'
import { mapStoreErrors } from '../map-store-errors.ts'

type Params = Readonly<Record<string, string>>

interface Asking {
  readonly context: RequestContext
  readonly caller: Caller
  readonly params: Params
}

/** Answers a GET route of the admin API. */
type Reader = (asking: Asking) => unknown

interface Change extends Asking {
  readonly method: string
  /** The path of the route, below the prefix. */
  readonly path: string
  readonly body: unknown
}

interface AuditDeps {
  readonly store: { readonly audit: AuditStore }
  readonly clock: Clock
  readonly logger: Logger
}

/** A larger record is named by its size. */
const recordCharsMax = 16_384
/** Refused sign-ins that one process writes in a minute. The next row says how many it did not write. */
const refusalsMax = 60
const minuteMs = 60_000

export class AuditLog {
  readonly #deps: AuditDeps
  readonly #readers = new Map<string, Reader>()
  #minute = 0
  #refusals = 0
  #unwritten = 0

  constructor(deps: AuditDeps) {
    this.#deps = deps
  }

  /** Names how the record at a path is read. */
  addReader(path: string, read: Reader): void {
    this.#readers.set(path, read)
  }

  /**
   * Runs a handler that changes something. A row is stored before it, without which there is no change, and one after
   * it. Throws what the handler throws.
   */
  async change<T>(change: Change, handle: () => T | Promise<T>): Promise<T> {
    const before = await this.#recordAt(change.path, change)
    const entry = this.#entryOf(change)
    const begun = await this.#deps.store.audit.append(entry('begun', sentIn(change.body)))
    const end = (outcome: AuditOutcome, details: object): Promise<void> =>
      this.#append(entry(outcome, { begun, ...sentIn(change.body), ...details }))
    let value: T
    try {
      value = await mapStoreErrors(handle)
    } catch (thrown) {
      const refused = thrown instanceof ApiError && thrown.row.status < 500
      await end(refused ? 'refused' : 'failed', { code: thrown instanceof ApiError ? thrown.code : 'internal_error' })
      throw thrown
    }
    await end('done', { before, after: await this.#after(change, value) })
    return value
  }

  /** Writes that the caller is about to be shown what is at a path. Throws when it cannot be written: then nothing is shown. */
  async looked(look: Asking & { readonly path: string }, details: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#deps.store.audit.append(this.#entryOf({ ...look, method: 'GET' })('done', details))
  }

  /** A person has signed in. */
  signedIn(
    context: RequestContext,
    user: Pick<User, 'id' | 'email'>,
    how: 'password' | 'oidc' | 'invitation',
  ): Promise<void> {
    return this.#append(
      this.#signIn(context, { outcome: 'done', actor: user.email, actorId: user.id, details: { how } }),
    )
  }

  /** A sign-in was refused; written as long as this minute has room. */
  async signInRefused(context: RequestContext, actor: string, code: string): Promise<void> {
    const minute = Math.floor(this.#deps.clock.now() / minuteMs)
    if (minute !== this.#minute) [this.#minute, this.#refusals] = [minute, 0]
    if (this.#refusals >= refusalsMax) {
      this.#unwritten += 1
      return
    }
    this.#refusals += 1
    const unwritten = this.#unwritten
    this.#unwritten = 0
    const details = { code, ...(unwritten > 0 && { unwritten }) }
    await this.#append(this.#signIn(context, { outcome: 'refused', actor, actorId: null, details }))
  }

  /** What is done is done: a row that cannot be written is logged. */
  async #append(entry: AuditEntry): Promise<void> {
    try {
      await this.#deps.store.audit.append(entry)
    } catch (error) {
      this.#deps.logger.error('a row of the audit log was not written', { requestId: entry.requestId, error })
    }
  }

  #signIn(context: RequestContext, rest: Pick<AuditEntry, 'outcome' | 'actor' | 'actorId' | 'details'>): AuditEntry {
    const at = this.#deps.clock.now()
    const { remoteAddress: address, requestId } = context
    return { at, action: 'sign-in', source: 'sign-in', keyId: null, address, requestId, record: '', ...rest }
  }

  #entryOf({ context, caller, method, path, params }: Omit<Change, 'body'>) {
    const { user } = caller.account
    const source: AuditSource = context.trusted ? 'operator' : caller.key === null ? 'session' : 'key'
    return (outcome: AuditOutcome, details: Readonly<Record<string, unknown>>): AuditEntry => ({
      at: this.#deps.clock.now(),
      action: `${method} ${path}`,
      outcome,
      source,
      actor: user.email,
      actorId: user.id,
      keyId: caller.key?.id ?? null,
      address: context.remoteAddress,
      requestId: context.requestId,
      record: path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? ''),
      details,
    })
  }

  async #after(change: Change, value: unknown): Promise<unknown> {
    try {
      const id = idIn(value)
      if (change.method !== 'POST' || id === null) return await this.#recordAt(change.path, change)
      const paths = [change.path, change.path.slice(change.path.lastIndexOf('/'))]
      const own = paths.map((path) => `${path}/:id`).find((path) => this.#readers.has(path))
      if (own !== undefined) return await this.#recordAt(own, { ...change, params: { id } })
      return await this.#recordAt(`${change.path}/:made`, { ...change, params: { ...change.params, made: id } })
    } catch (error) {
      // The change is made: its answer does not depend on this reading.
      this.#deps.logger.error('a changed record could not be read', { requestId: change.context.requestId, error })
      return null
    }
  }

  /** The record at this path, or at the nearest path above it that can be read; null when it does not exist. */
  async #recordAt(path: string, { context, caller, params }: Asking): Promise<unknown> {
    for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
      const read = this.#readers.get(at)
      if (read === undefined) continue
      try {
        return bounded(itemOf(await mapStoreErrors(() => read({ context, caller, params })), path, params))
      } catch (thrown) {
        if (thrown instanceof ApiError && thrown.code === 'not_found') return null
        throw thrown
      }
    }
    return null
  }
}

/** The one that the path ends with, when a list was read. */
function itemOf(value: unknown, path: string, params: Params): unknown {
  if (typeof value !== 'object' || value === null || !('data' in value) || !Array.isArray(value.data)) return value
  const name = /:(\w+)$/.exec(path)?.[1]
  const wanted = name === undefined ? undefined : params[name]
  if (wanted === undefined) return null
  const items = value.data as readonly object[]
  return items.find((item) => Object.values(item).includes(wanted)) ?? null
}

function bounded(value: unknown): unknown {
  const chars = JSON.stringify(value)?.length ?? 0
  return chars > recordCharsMax ? { chars, left_out: true } : value
}

/** Which fields were sent, not what was in them; ids are not secret. */
function sentIn(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null) return {}
  const ids: unknown = Reflect.get(body, 'ids')
  return { fields: Object.keys(body), ...(Array.isArray(ids) && { ids: bounded(ids) }) }
}

function idIn(value: unknown): string | null {
  const id: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'id') : null
  return typeof id === 'string' ? id : null
}
