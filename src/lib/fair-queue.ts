/**
 * Whose turn it is among those who wait. Within a class, lanes take turns, one each, so that a lane with a thousand
 * waiting holds up another with one by one turn only. A higher class comes first, and a lower one that waits is not
 * passed for ever: after `passedMax` turns it has the next. Nothing here knows what is waited for.
 */

/** Turns that go past a class that waits before it has one. */
export const passedMax = 8

/** Where one waits: turns are shared between lanes; 0 is the highest class. */
export interface QueuePlace<L> {
  readonly lane: L
  readonly level: number
}

/** Those of one class. */
class Level<L, T> {
  /** The first lane is next. */
  readonly circle: L[] = []
  readonly lines = new Map<L, T[]>()
  size = 0
  passed = 0

  add(item: T, lane: L): void {
    const line = this.lines.get(lane)
    if (line === undefined) {
      this.lines.set(lane, [item])
      this.circle.push(lane)
    } else line.push(item)
    this.size += 1
  }

  next(): T | undefined {
    const lane = this.circle.shift()
    if (lane === undefined) return undefined
    const line = this.lines.get(lane)
    const item = line?.shift()
    this.size -= 1
    this.passed = 0
    if (line?.length === 0) this.lines.delete(lane)
    else this.circle.push(lane)
    return item
  }

  delete(item: T, lane: L): boolean {
    const line = this.lines.get(lane)
    const index = line?.indexOf(item) ?? -1
    if (line === undefined || index < 0) return false
    line.splice(index, 1)
    this.#shrink(1)
    // An empty lane shrinks nothing more.
    if (line.length === 0) this.deleteLane(lane)
    return true
  }

  deleteLane(lane: L): readonly T[] {
    const line = this.lines.get(lane)
    if (line === undefined) return []
    this.lines.delete(lane)
    this.circle.splice(this.circle.indexOf(lane), 1)
    this.#shrink(line.length)
    return line
  }

  #shrink(count: number): void {
    this.size -= count
    if (this.size === 0) this.passed = 0
  }
}

export class FairQueue<L, T> {
  readonly #levels: readonly Level<L, T>[]

  /** @param levels number of classes */
  constructor(levels = 1) {
    this.#levels = Array.from({ length: levels }, () => new Level<L, T>())
  }

  /** How many wait. */
  get size(): number {
    return this.#levels.reduce((sum, { size }) => sum + size, 0)
  }

  /** Waits behind the others of its lane and class. Returns how many wait in its class and those above, itself included. */
  add(item: T, { lane, level }: QueuePlace<L>): number {
    this.#levels[level]?.add(item, lane)
    return this.#levels.slice(0, level + 1).reduce((sum, { size }) => sum + size, 0)
  }

  /** Takes out the one whose turn it is; undefined when nobody waits. */
  next(): T | undefined {
    const waiting = this.#levels.filter(({ size }) => size > 0)
    const chosen = waiting.find(({ passed }) => passed >= passedMax) ?? waiting[0]
    for (const level of waiting.slice(waiting.findIndex((each) => each === chosen) + 1)) level.passed += 1
    return chosen?.next()
  }

  /** Leaves. False when it does not wait. */
  delete(item: T, { lane, level }: QueuePlace<L>): boolean {
    return this.#levels[level]?.delete(item, lane) ?? false
  }

  /** All of a lane leave; those of a higher class are first. */
  deleteLane(lane: L): readonly T[] {
    return this.#levels.flatMap((level) => level.deleteLane(lane))
  }

  /**
   * Takes out the one that gives its place in a full queue to a newcomer: the last of the newcomer's own lane in a lower
   * class; else the last in the lowest class of the lane with the most waiting, when it has at least two more. Undefined:
   * the newcomer has no better claim than those who wait.
   */
  displaced({ lane, level }: QueuePlace<L>): T | undefined {
    if (this.#levels.slice(level + 1).some(({ lines }) => lines.has(lane))) return this.#takeLast(lane)
    const counts = new Map<L, number>()
    for (const { lines } of this.#levels)
      for (const [each, line] of lines) counts.set(each, (counts.get(each) ?? 0) + line.length)
    let longest = lane
    for (const [each, count] of counts) if (count > (counts.get(longest) ?? 0)) longest = each
    return (counts.get(longest) ?? 0) < (counts.get(lane) ?? 0) + 2 ? undefined : this.#takeLast(longest)
  }

  #takeLast(lane: L): T | undefined {
    const level = this.#levels.findLast(({ lines }) => lines.has(lane))
    const item = level?.lines.get(lane)?.at(-1)
    if (level === undefined || item === undefined) return undefined
    level.delete(item, lane)
    return item
  }
}
