/**
 * Do batches use what live requests leave, and no more? A simulated model server on virtual time works on 64 requests at
 * once; others wait in it, whatever their kind, as in a server that knows no priorities. Live streams arrive at random, and
 * lines are sent by what the server of batches sends them with: its window, its guard of first tokens, and its look at the
 * queue of the model server. Run by hand: `bun bench/spare.ts [minutes]`.
 */
import { FirstTokenGuard } from '#batches/run/first-token-guard.ts'
import { ModelLane } from '#batches/run/model-lane.ts'
import { randomOf } from '#test/support/affinity/prefix-servers.ts'
import { figure, markdown } from './table.ts'

const slots = 64
const windowMax = 256
/** Until the first token of a request that is worked on, and the whole work of a line and of a live stream. */
const prefillMs = 200
const lineMs = 2000
const liveMs = 3000
/** How often the queue of the server is read. */
const lookMs = 2000
const warmMs = 60_000

type Heeds = 'nothing' | 'first tokens' | 'first tokens and queue'

interface Result {
  readonly p95: number
  /** Share of the server's time that was used. */
  readonly used: number
}

interface Work {
  readonly isLive: boolean
  readonly sentAt: number
  readonly takesMs: number
}

const owner = { part: { userId: 'one', isAsync: false } } as const

class Simulation {
  readonly #due: { readonly at: number; readonly run: () => void }[] = []
  readonly #random = randomOf(11)
  readonly #lane = new ModelLane<typeof owner>()
  readonly #guard = new FirstTokenGuard()
  readonly #queue: Work[] = []
  readonly #firstTokens: number[] = []
  readonly #heeds: Heeds
  #atWork = 0
  #usedMs = 0
  /** Live streams that are not over. */
  #live = 0
  #now = 0

  constructor(heeds: Heeds) {
    this.#heeds = heeds
  }

  /** @param liveShare of the server's time that live streams need */
  run(liveShare: number, hasBatch: boolean, minutes: number): Result {
    const endAt = warmMs + minutes * 60_000
    const everyMs = liveMs / (slots * liveShare)
    const arrive = (): void => {
      this.#live += 1
      this.#send({ isLive: true, sentAt: this.#now, takesMs: this.#about(liveMs) })
      this.#later(-Math.log(1 - this.#random()) * everyMs, arrive)
    }
    const look = (): void => {
      const waiting = this.#queue.length
      if (this.#heeds === 'first tokens and queue' && waiting > 0)
        this.#lane.window.queued(waiting, { lines: this.#lane.running, live: this.#live })
      this.#dispatch()
      this.#later(lookMs, look)
    }
    this.#later(0, arrive)
    if (hasBatch)
      this.#later(warmMs / 2, () => {
        for (let line = 0; line < windowMax * 2; line += 1) this.#lane.add(owner)
        look()
      })
    for (let due = this.#due.shift(); due !== undefined && due.at < endAt; due = this.#due.shift()) {
      this.#now = due.at
      due.run()
    }
    const sorted = this.#firstTokens.toSorted((one, other) => one - other)
    return { p95: sorted[Math.floor(sorted.length * 0.95)] ?? 0, used: this.#usedMs / (slots * (endAt - warmMs)) }
  }

  #later(ms: number, run: () => void): void {
    const at = this.#now + ms
    this.#due.splice(this.#due.findLastIndex((due) => due.at <= at) + 1, 0, { at, run })
  }

  /** A quarter more or less. */
  #about(ms: number): number {
    return ms * (0.75 + this.#random() / 2)
  }

  #dispatch(): void {
    for (
      let line = this.#lane.next(this.#now, windowMax, this.#live);
      line !== null;
      line = this.#lane.next(this.#now, windowMax, this.#live)
    ) {
      this.#lane.running += 1
      this.#send({ isLive: false, sentAt: this.#now, takesMs: this.#about(lineMs) })
    }
  }

  #send(work: Work): void {
    this.#queue.push(work)
    this.#begin()
  }

  #begin(): void {
    while (this.#atWork < slots) {
      const work = this.#queue.shift()
      if (work === undefined) return
      this.#atWork += 1
      if (work.isLive) this.#later(this.#about(prefillMs), () => this.#heard(work))
      this.#later(work.takesMs, () => this.#end(work))
    }
  }

  /** The first token of a live stream. */
  #heard({ sentAt }: Work): void {
    const ms = this.#now - sentAt
    if (this.#now > warmMs) this.#firstTokens.push(ms)
    if (this.#heeds === 'nothing' || sentAt < this.#lane.window.settlesAt) return
    if (this.#guard.observe(ms, this.#lane.running > 0)) this.#lane.window.congested(this.#now, this.#live)
  }

  #end({ isLive, sentAt, takesMs }: Work): void {
    this.#atWork -= 1
    if (this.#now > warmMs) this.#usedMs += takesMs
    this.#begin()
    if (isLive) {
      this.#live -= 1
      return this.#dispatch()
    }
    this.#lane.answered(this.#now - sentAt, windowMax, this.#live)
    this.#lane.running -= 1
    this.#lane.add(owner)
    this.#dispatch()
  }
}

const minutes = Number(process.argv[2] ?? '20')
const rows = [0.1, 0.3, 0.6].flatMap((share) => {
  const alone = new Simulation('nothing').run(share, false, minutes)
  return (['nothing', 'first tokens', 'first tokens and queue'] as const).map((heeds) => {
    const { p95, used } = new Simulation(heeds).run(share, true, minutes)
    return [
      figure(share * 100, 0),
      heeds,
      figure(alone.p95, 0),
      figure(p95, 0),
      figure(p95 / alone.p95, 2),
      figure(used * 100),
    ]
  })
})
console.log(
  markdown({
    title: 'Spare capacity',
    method: `A server of ${slots} at once, lines of ${lineMs} ms, live streams of ${liveMs} ms with their first token after ${prefillMs} ms, ${minutes} minutes of virtual time.`,
    rounds: null,
    columns: [
      'live load, %',
      'batches heed',
      'first token p95 alone, ms',
      'with batches, ms',
      '÷ alone',
      'used of the server, %',
    ],
    rows,
  }),
)
