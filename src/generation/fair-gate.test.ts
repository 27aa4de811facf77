import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { FairGate, ModelGates, type Lane, type Place } from './fair-gate.ts'

/** Asks for a place and notes when it is given. */
function ask(lane: Lane, name: string, given: string[], places: Place[]): void {
  const entered = lane.enter()
  const note = (place: Place | null): void => {
    if (place === null) return
    given.push(name)
    places.push(place)
  }
  if (entered instanceof Promise) void entered.then(note)
  else note(entered)
}

describe('the gate of a model', () => {
  test('lets requests take turns, however many prompts one has', async () => {
    const gate = new FairGate(() => 1)
    const [given, places]: [string[], Place[]] = [[], []]
    const [big, small, other] = [gate.lane(), gate.lane(), gate.lane()]
    for (let index = 0; index < 5; index += 1) ask(big, `big ${index}`, given, places)
    ask(small, 'small', given, places)
    ask(other, 'other', given, places)
    for (let turn = 0; turn < 7; turn += 1) {
      places[turn]?.[Symbol.dispose]()
      await Promise.resolve()
    }
    expect(given).toEqual(['big 0', 'big 1', 'small', 'other', 'big 2', 'big 3', 'big 4'])
  })

  test('never lets in more than its limit, and nobody waits while there is room', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(fc.nat(5), { maxLength: 60 }), async (limit, moves) => {
        const gate = new FairGate(() => limit)
        const lanes = [gate.lane(), gate.lane(), gate.lane()]
        const inside: Place[] = []
        let waiting = 0
        for (const move of moves) {
          const lane = lanes[move]
          if (lane === undefined) inside.shift()?.[Symbol.dispose]()
          else {
            waiting += 1
            void Promise.resolve(lane.enter()).then((place) => {
              waiting -= 1
              if (place !== null) inside.push(place)
            })
          }
          await new Promise<void>((resolve) => setImmediate(resolve))
          expect(inside.length).toBeLessThanOrEqual(limit)
          expect(inside.length === limit || waiting === 0).toBe(true)
        }
      }),
      { numRuns: 40 },
    )
  })

  test('gives a place back once, however often it is disposed', () => {
    const gate = new FairGate(() => 1)
    const lane = gate.lane()
    const place = lane.enter() as Place
    place[Symbol.dispose]()
    place[Symbol.dispose]()
    expect(lane.enter()).not.toBeInstanceOf(Promise)
    expect(lane.enter()).toBeInstanceOf(Promise)
  })

  test('sends those away who wait in a lane that is closed, and lets the next ones in', async () => {
    const gate = new FairGate(() => 1)
    const [gone, next] = [gate.lane(), gate.lane()]
    const first = gone.enter() as Place
    const [away, here] = [gone.enter(), next.enter()]
    gone[Symbol.dispose]()
    expect(await away).toBeNull()
    first[Symbol.dispose]()
    expect(await here).not.toBeNull()
    expect(gone.enter()).toBeNull()
  })

  test('follows a limit that is raised while others wait', async () => {
    let limit = 1
    const gate = new FairGate(() => limit)
    const lane = gate.lane()
    const first = lane.enter() as Place
    const [second, third] = [lane.enter(), lane.enter()]
    limit = 2
    first[Symbol.dispose]()
    expect(await second).not.toBeNull()
    expect(await third).not.toBeNull()
  })
})

test('requests to one model share a gate, those to others do not', () => {
  const gates = new ModelGates(() => 1)
  const [one, two, other] = [gates.lane('a'), gates.lane('a'), gates.lane('b')]
  expect(one.enter()).not.toBeInstanceOf(Promise)
  expect(two.enter()).toBeInstanceOf(Promise)
  expect(other.enter()).not.toBeInstanceOf(Promise)
})
