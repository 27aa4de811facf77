/** What every shared place of the ledger of limits does. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { applyClaims, type Batch, type Claim, type Place } from '#limits/place.ts'
import { until } from '../until.ts'

export interface PlaceTest {
  /** A fresh place, and a second connection to it. */
  readonly open: () => Promise<{
    readonly place: Place
    readonly other: Place
    /** Hints that the second connection has heard. */
    readonly heard: readonly string[]
    readonly close: () => Promise<void>
  }>
  /** Why the cases cannot run; false when they can. */
  readonly missing: string | false
}

const members = ['a.1', 'b.1', 'c.1']

function claim(parts: Partial<Claim>): Claim {
  return { key: 'k', limit: 10, have: 4, want: 0, shares: [4, 3, 3], ...parts }
}

/** Declares the cases. */
export function placeContract(name: string, { open, missing }: PlaceTest): void {
  describe.skipIf(missing !== false)(`${name}${missing === false ? '' : ` (skipped: ${missing})`}`, () => {
    const placeTest = (guarantee: string, body: (opened: Awaited<ReturnType<typeof open>>) => Promise<void>): void =>
      test(guarantee, async () => {
        const opened = await open()
        try {
          await body(opened)
        } finally {
          await opened.close()
        }
      })

    placeTest('grants what the claims of all leave, and nothing of shares that were not lent', async (opened) => {
      const { place, other } = opened
      const token = String(await place.open(1))
      const send = (by: Place, self: number, seq: number, ...claims: Claim[]): ReturnType<Place['exchange']> =>
        by.exchange({ token, members, self, seq, claims })
      expect(await send(place, 0, 1, claim({ want: 5 }))).toEqual([0])
      expect(await send(other, 1, 1, claim({ have: 1 }), claim({ key: 'l', have: 3 }))).toEqual([0, 0])
      expect(await send(place, 0, 2, claim({ want: 5 }))).toEqual([2])
      expect(await send(other, 1, 2, claim({ have: 1, want: 2 }))).toEqual([0])
      expect(await send(place, 0, 3, claim({ have: 4 }))).toEqual([0])
      expect(await send(other, 1, 3, claim({ have: 1, want: 9 }))).toEqual([2])
    })

    placeTest('keeps its token in an epoch, and forgets everything at the next', async ({ place, other }) => {
      const first = String(await place.open(3))
      expect([await other.open(3), await place.open(2)]).toEqual([first, null])
      const lower = { members, self: 0, seq: 7, claims: [claim({ have: 0 })] }
      expect(await place.exchange({ ...lower, token: first })).toEqual([0])
      const second = String(await other.open(4))
      expect(second).not.toBe(first)
      expect(await place.exchange({ ...lower, seq: 8, token: first })).toBeNull()
      const more = { members, self: 1, seq: 1, claims: [claim({ have: 3, want: 4 })], token: second }
      expect(await other.exchange(more)).toEqual([0])
    })

    placeTest('ignores a batch that a later one of the same member has overtaken', async ({ place }) => {
      const token = String(await place.open(1))
      const batch = (seq: number, have: number): Batch => ({ token, members, self: 0, seq, claims: [claim({ have })] })
      expect(await place.exchange(batch(2, 4))).toEqual([0])
      expect(await place.exchange(batch(1, 0))).toBeNull()
      const more = { token, members, self: 1, seq: 1, claims: [claim({ have: 3, want: 4 })] }
      expect(await place.exchange(more)).toEqual([0])
      expect(await place.exchange({ ...more, seq: 2, claims: [] })).toEqual([])
    })

    placeTest('tells hints to the others', async ({ place, heard }) => {
      await place.tell('{"wanted":[]}')
      await until(() => heard.includes('{"wanted":[]}'))
    })

    placeTest(
      'grants the same as the rule for any batches, one after the other or at once',
      async ({ place, other }) => {
        const amount = fc.integer({ min: 0, max: 12 })
        const claims = fc.uniqueArray(
          fc.record({
            key: fc.constantFrom('k', 'l', 'm'),
            limit: amount,
            have: amount,
            want: amount,
            isStrict: fc.boolean(),
          }),
          { selector: ({ key }) => key, maxLength: 3 },
        )
        const batches = fc.array(fc.record({ self: fc.integer({ min: 0, max: 2 }), claims }), { maxLength: 8 })
        let epoch = 10
        await fc.assert(
          fc.asyncProperty(batches, async (sent) => {
            epoch += 1
            const token = String(await place.open(epoch))
            const rows = new Map<string, number>()
            for (const [index, { self, claims: asked }] of sent.entries()) {
              const batch = {
                token,
                members,
                self,
                seq: index + 1,
                claims: asked.map((each) => ({ ...each, shares: sharesOf(each, self) })),
              }
              const by = index % 2 === 0 ? place : other
              expect(await by.exchange(batch)).toEqual([...applyClaims(rows, batch)])
            }
          }),
          { numRuns: 40 },
        )
      },
    )
  })
}

function sharesOf({ limit, isStrict }: { readonly limit: number; readonly isStrict: boolean }, self: number): number[] {
  return members.map((_member, index) => {
    if (isStrict) return index === self ? -1 : limit
    return Math.ceil(Math.max(0, limit - index) / members.length)
  })
}
