/**
 * How many reports of one account are made at once. A report may read very many rows; reports have database
 * connections of their own, and this leaves some of those to other accounts.
 */
import { ApiError } from '#errors/api-error.ts'

/** Below the default of `database.report_pool_max`. */
const runningMax = 2
/** More than the console asks for at once. */
const waitingMax = 6

interface Line {
  running: number
  /** Called in order, one for each place that is given back. */
  readonly waiting: (() => void)[]
}

export class ReportGate {
  readonly #lines = new Map<string, Line>()

  /** Makes a report when the account has a place for it. Answers 429 when too many of its reports wait already. */
  async run<T>(accountId: string, report: () => T | Promise<T>): Promise<T> {
    using _place = await this.#enter(accountId)
    return await report()
  }

  async #enter(accountId: string): Promise<Disposable> {
    let line = this.#lines.get(accountId)
    if (line === undefined) this.#lines.set(accountId, (line = { running: 0, waiting: [] }))
    if (line.running < runningMax) line.running += 1
    else if (line.waiting.length >= waitingMax) throw new ApiError('too_many_reports')
    else await this.#turn(line)
    return { [Symbol.dispose]: () => this.#leave(accountId, line) }
  }

  #turn({ waiting }: Line): Promise<void> {
    return new Promise((resolve) => waiting.push(resolve))
  }

  /** The place goes to the next in line, or is free. */
  #leave(accountId: string, line: Line): void {
    const next = line.waiting.shift()
    if (next !== undefined) return next()
    line.running -= 1
    if (line.running === 0) this.#lines.delete(accountId)
  }
}
