import { describe, expect, test } from 'bun:test'
import { payloadMax } from '#store/usage/live-channel.ts'
import { usageLine, type UsageRecord } from '#store/usage/usage-record.ts'
import { aUsage } from '#test/support/store/store-records.ts'
import { until } from '#test/support/until.ts'
import { againMax, LiveRequests, pendingMax, type LiveItem, type LiveView } from './live-requests.ts'

/** The requests of one process, as its recorder has them. */
class Ending {
  readonly watchers = new Set<(record: UsageRecord) => void>()
  watch(watcher: (record: UsageRecord) => void): Disposable {
    this.watchers.add(watcher)
    return { [Symbol.dispose]: () => void this.watchers.delete(watcher) }
  }
  end(...records: readonly UsageRecord[]): void {
    for (const record of records) for (const watcher of this.watchers) watcher(record)
  }
}

/** Carries each text to all who listen, as PostgreSQL does, and keeps what was sent. */
class Wire {
  readonly sent: string[] = []
  readonly ears = new Map<(text: string) => void, () => void>()
  async send(text: string): Promise<void> {
    this.sent.push(text)
    for (const onText of this.ears.keys()) onText(text)
  }
  async listen(onText: (text: string) => void, onEnd: () => void): Promise<AsyncDisposable> {
    this.ears.set(onText, onEnd)
    return { [Symbol.asyncDispose]: async () => void this.ears.delete(onText) }
  }
}

interface Process extends AsyncDisposable {
  readonly ending: Ending
  readonly live: LiveRequests
}

function start(channel: Wire | null = null): Process {
  const ending = new Ending()
  const live = new LiveRequests({ recorder: ending, channel })
  return { ending, live, [Symbol.asyncDispose]: () => live[Symbol.asyncDispose]() }
}

function viewOf({ live }: Process, after: string | null = null): LiveView {
  const view = live.view(after)
  if (view === null) throw new Error('there are too many viewers')
  return view
}

function numbered(count: number, from = 0): readonly UsageRecord[] {
  return Array.from({ length: count }, (_, at) => aUsage({ requestId: `r${from + at}` }))
}

function idsOf(items: readonly LiveItem[]): readonly string[] {
  return items.map((item) => (item.kind === 'request' ? item.request.record.requestId : `missed ${item.count}`))
}

async function shown(view: LiveView): Promise<readonly string[]> {
  return idsOf(await view.next(0))
}

describe('while nobody watches', () => {
  test('no request is looked at, before and after', async () => {
    await using one = start()
    expect(one.ending.watchers.size).toBe(0)
    viewOf(one)
    expect(one.ending.watchers.size).toBe(1)
    one.live.heard(true)
    one.live.heard(false)
    expect(one.ending.watchers.size).toBe(1)
    await one.live[Symbol.asyncDispose]()
    expect(one.ending.watchers.size).toBe(0)
  })

  test('a process looks at its requests only as long as another one is watched', async () => {
    const wire = new Wire()
    await using one = start(wire)
    one.live.heard(true)
    expect([one.ending.watchers.size, wire.ears.size]).toEqual([1, 0])
    one.live.heard(false)
    expect(one.ending.watchers.size).toBe(0)
  })
})

describe('viewers', () => {
  test('of any number are shown every request once, in its order, and share one object', async () => {
    await using one = start()
    for (const count of [1, 10, 100]) {
      const views = Array.from({ length: count }, () => viewOf(one))
      one.ending.end(...numbered(50))
      const all = await Promise.all(views.map((view) => view.next(0)))
      for (const items of all) expect(idsOf(items)).toEqual(numbered(50).map(({ requestId }) => requestId))
      expect(new Set(all.map(([first]) => first?.kind === 'request' && first.request)).size).toBe(1)
      for (const view of views) view.end()
      expect(one.live.viewers).toBe(0)
    }
  })

  test('that wait are woken by the next request', async () => {
    await using one = start()
    const next = viewOf(one).next(60_000)
    one.ending.end(...numbered(1))
    expect(idsOf(await next)).toEqual(['r0'])
  })

  test('are dropped when too much waits for them, which costs the others nothing', async () => {
    await using one = start()
    const [slow, quick] = [viewOf(one), viewOf(one)]
    for (let at = 0; at < pendingMax; at += 1) one.ending.end(...numbered(1, at))
    expect([slow.over, (await quick.next(0)).length]).toEqual([null, pendingMax])
    one.ending.end(...numbered(1, pendingMax))
    expect([slow.over, quick.over, one.live.viewers]).toEqual(['dropped', null, 1])
    expect(await slow.next(60_000)).toEqual([])
    expect(await shown(quick)).toEqual([`r${pendingMax}`])
  })

  test('beyond the most that one process has are refused, and let in when one leaves', async () => {
    await using one = start()
    const views: LiveView[] = []
    for (let view = one.live.view(null); view !== null; view = one.live.view(null)) views.push(view)
    expect(views.length).toBeGreaterThanOrEqual(100)
    views[0]?.end()
    expect(one.live.view(null)).not.toBeNull()
    expect(one.live.view(null)).toBeNull()
  })

  test('are ended with the process, and none comes after it', async () => {
    await using one = start()
    const view = viewOf(one)
    const next = view.next(60_000)
    await one.live[Symbol.asyncDispose]()
    expect([await next, view.over, one.live.view(null)]).toEqual([[], 'ended', null])
  })
})

describe('a viewer that comes back', () => {
  /** The place of the last of some requests. */
  async function placeOf(view: LiveView): Promise<string> {
    const last = (await view.next(0)).at(-1)
    return last?.kind === 'request' ? last.request.place : ''
  }

  test('is shown the newest of what has ended since, and told how many more there were', async () => {
    await using one = start()
    for (const count of [0, 1, 10, 100, 1000]) {
      const view = viewOf(one)
      one.ending.end(...numbered(3))
      const place = await placeOf(view)
      view.end()
      // Some are seen by nobody.
      for (let at = 0; at < count; at += 100) one.ending.end(...numbered(Math.min(100, count - at), at))
      const again = viewOf(one, place)
      // One that leaves before it has read them comes back with this.
      expect(again.place).toBe(place)
      const ids = await shown(again)
      const newest = numbered(count)
        .map(({ requestId }) => requestId)
        .slice(-againMax)
      expect(ids).toEqual(count > againMax ? [`missed ${count - againMax}`, ...newest] : newest)
      expect(again.over).toBeNull()
      again.end()
    }
  })

  test('goes on from its beginning when nothing had ended', async () => {
    await using one = start()
    const view = viewOf(one)
    view.end()
    one.ending.end(...numbered(2))
    expect(await shown(viewOf(one, view.place))).toEqual(['r0', 'r1'])
  })

  test('is told that it has missed some when its place is not known here', async () => {
    await using one = start()
    await using other = start()
    const elsewhere = viewOf(other).place
    const [own = ''] = viewOf(one).place.split('-')
    for (const place of [elsewhere, `${own}-7`, `${own}--1`, `${own}-0.5`, own, '', 'x'.repeat(5000), '-', 'a-b-c'])
      expect([place, await shown(viewOf(one, place))]).toEqual([place, ['missed null']])
  })

  test('after the process has forgotten is told so, even when nothing has ended since', async () => {
    await using one = start()
    const view = viewOf(one)
    one.ending.end(...numbered(3))
    const place = await placeOf(view)
    for (let at = 0; at < 30; at += 1) {
      one.ending.end(...numbered(100))
      await view.next(0)
    }
    expect(await shown(viewOf(one, place))).toEqual(['missed null'])
  })
})

describe('several processes', () => {
  test('show each other’s requests, and nobody his own twice', async () => {
    const wire = new Wire()
    await using one = start(wire)
    await using two = start(wire)
    await using three = start(wire)
    const views = [viewOf(one), viewOf(two)]
    for (const each of [one, two, three]) each.live.heard(true)
    one.ending.end(aUsage({ requestId: 'of-one' }))
    three.ending.end(aUsage({ requestId: 'of-three' }))
    for (const view of views) {
      const seen: string[] = []
      await until(async () => {
        seen.push(...(await shown(view)))
        return seen.length >= 2
      })
      expect(seen.toSorted()).toEqual(['of-one', 'of-three'])
    }
  })

  test('account for every request of a burst of any size: shown, or counted as missed', async () => {
    const wire = new Wire()
    await using one = start(wire)
    await using two = start(wire)
    two.live.heard(true)
    for (const size of [1, 30, 400, 3000]) {
      const view = viewOf(one)
      const records = numbered(size).map((record, at) => ({
        ...record,
        modelAsked: 'ä\n\t\\'.repeat(at % 60),
        attemptReasons: Array.from({ length: at % 97 === 0 ? 100 : 0 }, () => ({
          provider: 'p',
          reason: 'r'.repeat(90),
        })),
      }))
      two.ending.end(...records)
      let [seen, missed] = [0, 0]
      await until(async () => {
        for (const item of await view.next(0)) {
          if (item.kind === 'request') seen += 1
          else missed += item.count ?? 0
        }
        return view.over === 'dropped' || seen + missed >= size
      })
      if (view.over === null) expect([size, seen + missed]).toEqual([size, size])
      expect(size <= 400 ? missed : 0).toBe(0)
      view.end()
    }
    for (const text of wire.sent) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(payloadMax)
  })

  test('skip what they cannot read, and say how many', async () => {
    const wire = new Wire()
    await using one = start(wire)
    const view = viewOf(one)
    const good = usageLine(aUsage({ requestId: 'good' }))
    for (const text of [
      '',
      'other',
      'other\t0',
      `other\t0\n${good}\n${good}\tone\tmore\nnonsense\n`,
      'other\t7\n',
      'other\tx\n',
    ])
      await wire.send(text)
    expect(await shown(view)).toEqual(['good', 'missed 2', 'missed 7'])
  })

  test('say that some are missed when the connection is gone', async () => {
    const wire = new Wire()
    await using one = start(wire)
    const view = viewOf(one)
    await until(() => wire.ears.size === 1)
    for (const onEnd of wire.ears.values()) onEnd()
    expect(await shown(view)).toEqual(['missed null'])
  })
})
