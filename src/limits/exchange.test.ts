/** What the random schedules of ledger.test.ts do not show by themselves. */
import { describe, expect, test } from 'bun:test'
import { MemoryPlace } from '#test/support/limits/memory-place.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { Exchange } from './exchange.ts'
import { View } from './fair-share.ts'
import type { Batch } from './place.ts'
import { SharedInflightLimiter } from './shared-inflight.ts'
import { SlotLedger } from './slot-ledger.ts'

const members = ['a.1', 'b.1']
const limit = 10

/** One member of two, with a place that answers when the test says so. */
class Member {
  readonly ledger = new SlotLedger()
  readonly clock = new ManualClock()
  readonly exchange: Exchange
  readonly limiter: SharedInflightLimiter
  readonly sent: { readonly batch: Batch; readonly answer: (grants: readonly number[] | null) => void }[] = []
  readonly told: string[] = []

  constructor(self: string) {
    const { ledger, clock } = this
    const place = Object.assign(new MemoryPlace((hint) => this.told.push(hint)), {
      exchange: (batch: Batch) =>
        new Promise<readonly number[] | null>((resolve) => this.sent.push({ batch, answer: resolve })),
    })
    const none = (): void => undefined
    const onMore = (keys: readonly string[]): void => this.limiter.serve(keys)
    const onFree = (keys: readonly string[]): void => this.limiter.claim(keys)
    this.exchange = new Exchange({ ledger, place, clock, onMore, onFree, onAway: none, onVoid: none })
    this.limiter = new SharedInflightLimiter({ ledger, exchange: this.exchange, clock, isOwner: () => true })
    this.enter(1, self)
  }

  enter(epoch: number, self = 'a.1'): void {
    const view = new View(epoch, members, self)
    this.ledger.prepare(view)
    this.ledger.settle([])
    this.exchange.agree(view, `memory:${epoch}`)
  }

  /** Takes all that this member owns without asking. */
  useShare(): Disposable[] {
    return Array.from({ length: limit / 2 }, () => this.limiter.acquire('u', 'm', limit) as Disposable)
  }
}

describe('a request beyond the share', () => {
  test('waits for the place, and gets what it grants', async () => {
    const member = new Member('a.1')
    member.useShare()
    const waiting = member.limiter.acquire('u', 'm', limit)
    expect(member.sent.map(({ batch }) => batch.claims)).toMatchObject([[{ have: 5, want: 1 }]])
    member.sent[0]!.answer([1])
    expect((await waiting)?.inUse).toBe(6)
  })

  test('gets a slot that is given back here before the place answers', async () => {
    const member = new Member('a.1')
    const [first] = member.useShare()
    const waiting = member.limiter.acquire('u', 'm', limit)
    first![Symbol.dispose]()
    expect((await waiting)?.inUse).toBe(5)
  })

  test('is refused when nobody has any, and the next ones do not wait', async () => {
    const member = new Member('a.1')
    member.useShare()
    const waiting = member.limiter.acquire('u', 'm', limit)
    member.sent[0]!.answer([0])
    expect(await waiting).toBeNull()
    expect(member.told.map((hint) => JSON.parse(hint))).toMatchObject([
      { from: 'a.1', wanted: [['inflight m u', limit, 1, 0]] },
    ])
    expect(member.limiter.acquire('u', 'm', limit)).toBeNull()
  })

  test('is refused at once while the place is slow', () => {
    const member = new Member('a.1')
    member.useShare()
    void member.limiter.acquire('u', 'm', limit)
    member.clock.advance(30)
    expect(member.limiter.acquire('u', 'm', limit)).toBeNull()
  })
})

test('an answer of an earlier epoch grants nothing', async () => {
  const member = new Member('a.1')
  member.useShare()
  const waiting = member.limiter.acquire('u', 'm', limit)
  member.enter(2)
  member.sent[0]!.answer([1])
  expect(await waiting).toBeNull()
  expect(member.ledger.capOf('inflight m u', limit)).toBe(5)
})

test('idle slots are lent when another member wants them, the cap first', () => {
  const member = new Member('b.1')
  member.exchange.hear(JSON.stringify({ from: 'a.1', wanted: [['inflight m u', limit, 3]] }))
  expect(member.ledger.capOf('inflight m u', limit)).toBe(2)
  expect(member.sent.map(({ batch }) => batch.claims)).toMatchObject([[{ have: 2, want: 0 }]])
})

test('a limit that is lowered and raised again gives back no slot that was lent', () => {
  const member = new Member('b.1')
  member.exchange.hear(JSON.stringify({ from: 'a.1', wanted: [['inflight m u', limit, 3]] }))
  for (const changed of [2, limit, Infinity, limit]) member.ledger.take('inflight m u', changed)
  expect(member.ledger.capOf('inflight m u', limit)).toBeLessThanOrEqual(2)
})
