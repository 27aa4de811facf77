/**
 * The connections to one origin: those that wait for a call, the newest first in use, so that the
 * others can grow old and be closed; and those that are still opening.
 */
import { Connection, type Address, type Assignment, type ConnectionOwner } from './connection.ts'
import type { Clock } from '../clock.ts'

export interface PoolOptions {
  readonly clock: Clock
  readonly idleMs: number
  readonly idleMaxPerOrigin: number
}

// Attempts that nobody waits for: beyond these, calls take one over instead of starting another,
// so that an address that swallows connection attempts cannot use up the process's sockets.
const abandonedMax = 32
// A server that keeps connections for N seconds may close this one while our request travels.
const keepMarginMs = 1000

export class Pool implements ConnectionOwner {
  readonly #address: Address
  readonly #options: PoolOptions
  readonly #idle: Connection[] = []
  readonly #connections = new Set<Connection>()
  readonly #abandoned = new Set<Connection>()
  #closed = false

  constructor(address: Address, options: PoolOptions) {
    this.#address = address
    this.#options = options
  }

  /** Sends the call on an idle connection when it may be reused and there is one, else on a new one. */
  carry(assignment: Assignment, reuse: boolean): void {
    const kept = reuse ? this.#takeIdle() : null
    if (kept !== null) return kept.assign(assignment)
    const [abandoned] = this.#abandoned.size >= abandonedMax ? this.#abandoned : []
    if (abandoned !== undefined) {
      this.#abandoned.delete(abandoned)
      return abandoned.assign(assignment)
    }
    this.#connections.add(new Connection(this, this.#address, assignment))
  }

  /** Closes what has been idle for too long and ends what has been opening for too long. */
  expire(): void {
    const now = this.#options.clock.elapsed()
    for (const connection of this.#connections) if (now >= connection.openBy) connection.openingTimedOut()
    for (const connection of this.#idle.filter(({ idleUntil }) => now >= idleUntil)) connection.close()
  }

  /** Breaks every connection; their calls fail. */
  close(): void {
    this.#closed = true
    for (const connection of this.#connections) connection.break(new Error('the client has been closed'))
  }

  onIdle(connection: Connection, keepSeconds: number | null): void {
    this.#abandoned.delete(connection)
    const { clock, idleMs, idleMaxPerOrigin } = this.#options
    const keptMs = keepSeconds === null ? idleMs : Math.min(idleMs, keepSeconds * 1000 - keepMarginMs)
    if (this.#closed || keptMs <= 0 || this.#idle.length >= idleMaxPerOrigin) return connection.close()
    connection.idleUntil = clock.elapsed() + keptMs
    this.#idle.push(connection)
  }

  onAbandoned(connection: Connection): void {
    this.#abandoned.add(connection)
  }

  onGone(connection: Connection): void {
    this.#connections.delete(connection)
    this.#abandoned.delete(connection)
    const index = this.#idle.lastIndexOf(connection)
    if (index !== -1) this.#idle.splice(index, 1)
  }

  #takeIdle(): Connection | null {
    const now = this.#options.clock.elapsed()
    for (let kept = this.#idle.pop(); kept !== undefined; kept = this.#idle.pop()) {
      if (now < kept.idleUntil) return kept
      kept.close()
    }
    return null
  }
}
