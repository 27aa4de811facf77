import { expect, test } from 'bun:test'
import { ModelLane } from './model-lane.ts'

const max = 1000
const tookMs = 100
const line = { part: { userId: 'a', isAsync: false } }

/** A model that does `capacity` at once, lines and live requests together, and refuses lines beyond. */
class Model {
  readonly lane = new ModelLane<typeof line>()
  readonly #capacity: number
  #now = 0

  constructor(capacity: number) {
    this.#capacity = capacity
    for (let at = 0; at < 3 * max; at += 1) this.lane.add({ ...line })
  }

  /** One round beside so many live requests: as many lines as may begin are sent, and answered or refused. How many. */
  round(live: number): number {
    const { lane } = this
    this.#now += 10 * tookMs
    while (lane.next(this.#now, max, live) !== null) lane.running += 1
    const sent = lane.running
    const answered = Math.min(sent, Math.max(0, this.#capacity - live))
    for (let at = 0; at < sent; at += 1) {
      if (at < answered) lane.answered(tookMs, max, live)
      else lane.window.congested(this.#now, live)
      lane.add({ ...line })
    }
    lane.running = 0
    return sent
  }

  /** What some rounds beside so many live requests send, after as many to get used to them. */
  rounds(live: number, count = 60 + this.#capacity): readonly number[] {
    for (let at = 0; at < count; at += 1) this.round(live)
    return Array.from({ length: count }, () => this.round(live))
  }
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0) / numbers.length

for (const capacity of [8, 64, 300]) {
  for (const share of [0, 0.25, 0.5, 0.9]) {
    const live = Math.floor(capacity * share)
    test(`beside ${live} live requests, lines take what is left of ${capacity}, and seldom more`, () => {
      const sent = new Model(capacity).rounds(live)
      const left = capacity - live
      expect(mean(sent.map((each) => Math.min(each, left)))).toBeGreaterThanOrEqual(0.7 * left)
      expect(Math.max(...sent)).toBeLessThanOrEqual(left + Math.max(2, capacity * 0.05))
    })
  }

  test(`of ${capacity}, more live requests are given the place of as many lines at once, and it comes back`, () => {
    const model = new Model(capacity)
    const before = model.rounds(0).at(-1) ?? 0
    // The window may grow by one in a round that it fills.
    for (const [at, part] of [1, 2, 5].entries()) {
      const live = Math.ceil((before * part) / 6)
      expect(model.round(live)).toBeLessThanOrEqual(Math.max(1, before + at + 1 - live))
    }
    expect(mean(model.rounds(0))).toBeGreaterThanOrEqual(0.7 * capacity)
  })

  test(`where live requests fill a model of ${capacity}, and however many more come, one line is under way`, () => {
    const model = new Model(capacity)
    model.rounds(0)
    for (const times of [1, 2, 10, 100]) {
      model.rounds(capacity * times)
      expect(model.round(capacity * times)).toBe(1)
    }
  })

  test(`a batch that begins while ${capacity} live requests run sends a few lines at once`, () => {
    expect(new Model(10 * capacity).round(capacity)).toBe(4)
  })
}
