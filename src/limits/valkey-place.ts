/**
 * The shared place in Valkey or Redis, by the runtime's own client. Everything is in one hash, so that
 * whatever loses a part of it (an eviction, FLUSHALL) loses the token, too. A server that was restarted may
 * come back with an old copy: the token begins with the id of the server's run, which each connection asks for.
 */
import { RedisClient } from 'bun'
import type { Batch, Place } from './place.ts'
import { valkeyExchange, valkeyOpen } from './valkey-scripts.ts'

export interface ValkeyPlaceOptions {
  /** `redis://`, `rediss://`, `valkey://` or `valkeys://`. */
  readonly url: string
  /** Keeps installations apart that use the same server. */
  readonly installation: string
  readonly onHint: (hint: string) => void
}

interface Connection {
  readonly commands: RedisClient
  readonly subscriber: RedisClient
  readonly runId: string
}

/** A connection without an answer for this long is given up. */
const answerTimeoutMs = 1000

export class ValkeyPlace implements Place {
  readonly kind = 'valkey'
  readonly #options: ValkeyPlaceOptions
  readonly #key: string
  readonly #channel: string
  #connection: Promise<Connection> | null = null
  #isHearing = false
  #isClosed = false

  /** Connects at the first use. */
  constructor(options: ValkeyPlaceOptions) {
    this.#options = options
    this.#key = `sluice:{${options.installation}}:limits`
    this.#channel = `${this.#key}:hints`
  }

  get isHearing(): boolean {
    return this.#isHearing
  }

  async open(epoch: number): Promise<string | null> {
    const { commands, runId } = await this.#connected()
    const run = this.#tokenOf(runId)
    const args = [valkeyOpen, '1', this.#key, String(epoch), `${run}${crypto.randomUUID()}`, run]
    return (await this.#answer(commands.send('EVAL', args))) as string | null
  }

  async exchange(batch: Batch): Promise<readonly number[] | null> {
    const { commands, runId } = await this.#connected()
    if (!batch.token.startsWith(this.#tokenOf(runId))) return null
    const { token, members, self, seq, claims } = batch
    const args = [
      valkeyExchange,
      '1',
      this.#key,
      token,
      String(seq),
      String(self + 1),
      String(members.length),
      ...members,
    ]
    for (const { key, limit, have, want, shares } of claims) {
      args.push(key, String(limit), String(have), String(want), ...shares.map(String))
    }
    return (await this.#answer(commands.send('EVAL', args))) as number[] | null
  }

  async tell(hint: string): Promise<void> {
    const { commands } = await this.#connected()
    await this.#answer(commands.publish(this.#channel, hint))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#drop()
  }

  /** What tokens of a run of the server begin with. */
  #tokenOf(runId: string): string {
    return `${this.kind}:${runId}:`
  }

  #connected(): Promise<Connection> {
    if (this.#isClosed) return Promise.reject(new Error('The connection to Valkey is closed.'))
    if (this.#connection === null) {
      const opening = this.#connect()
      this.#connection = opening
      opening.then(
        () => (this.#isHearing = this.#connection === opening),
        () => this.#connection === opening && (this.#connection = null),
      )
    }
    return this.#connection
  }

  /** Both connections or none: a process that hears no hints lends nothing. */
  async #connect(): Promise<Connection> {
    const options = { autoReconnect: false, enableOfflineQueue: false, connectionTimeout: answerTimeoutMs }
    const url = this.#options.url.replace(/^valkey/, 'redis')
    const [commands, subscriber] = [new RedisClient(url, options), new RedisClient(url, options)]
    try {
      await inTime(Promise.all([commands.connect(), subscriber.connect()]))
      const info = String(await inTime(commands.send('INFO', ['server'])))
      const runId = /run_id:(\w+)/.exec(info)?.[1] ?? ''
      await inTime(subscriber.subscribe(this.#channel, (hint) => this.#options.onHint(hint)))
      for (const client of [commands, subscriber]) client.onclose = () => void this.#drop()
      return { commands, subscriber, runId }
    } catch (failure) {
      close(commands, subscriber)
      throw failure
    }
  }

  /** A connection whose answer did not come in time is of no use any more. */
  async #answer<T>(pending: Promise<T>): Promise<T> {
    try {
      return await inTime(pending)
    } catch (failure) {
      await this.#drop()
      throw failure
    }
  }

  async #drop(): Promise<void> {
    const connection = this.#connection
    this.#connection = null
    this.#isHearing = false
    const open = await connection?.catch(() => null)
    if (open) close(open.commands, open.subscriber)
  }
}

/** Rejects after `answerTimeoutMs`. */
async function inTime<T>(pending: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('Valkey did not answer in time.')), answerTimeoutMs)
  try {
    return await Promise.race([pending, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function close(...clients: readonly RedisClient[]): void {
  for (const client of clients) {
    client.onclose = () => undefined
    client.close()
  }
}
