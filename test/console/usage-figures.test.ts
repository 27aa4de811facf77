/** What the usage page makes of the server's points, and of a span of time in an address. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { tokenRate } from '../../ui/src/routes/requests/token-rate.ts'
import { csvText } from '../../ui/src/routes/usage/csv.ts'
import { groupSums, stackedPoints } from '../../ui/src/routes/usage/usage-groups.ts'
import { bucketOf, rangeOf, readRangeSearch } from '../../ui/src/routes/time-range.ts'

const hour = 3_600_000

function point(at: number, group: string | null, requests: number) {
  return {
    at: new Date(at).toISOString(),
    group,
    requests,
    errors: 1,
    prompt_tokens: 10,
    completion_tokens: 5,
    cached_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    cost: 0,
    request_bytes: 0,
    response_bytes: 0,
    duration_ms: 100,
    first_tokens: 0,
    first_token_ms: 0,
  }
}

const points = [point(0, 'a', 2), point(0, null, 1), point(2 * hour, 'a', 3), point(2 * hour, 'b', 9)]

test('the groups are summed up over the span, the most requests first', () => {
  expect(groupSums(points).map(({ group, requests, errors }) => [group, requests, errors])).toEqual([
    ['b', 9, 1],
    ['a', 5, 2],
    [null, 1, 1],
  ])
})

describe('the bars', () => {
  const stack = (bucketMs: number, shown: readonly (string | null)[]) =>
    stackedPoints({ points, others: [], shown, from: 0, to: 3 * hour, bucketMs, valueOf: ({ requests }) => requests })

  test('there is one for each bucket, with the rest behind the groups that are shown', () => {
    expect(stack(hour, ['b', 'a'])).toEqual([
      { at: 0, values: [0, 2, 1] },
      { at: hour, values: [0, 0, 0] },
      { at: 2 * hour, values: [9, 3, 0] },
    ])
  })

  test('however wide they are, nothing is lost and nothing counted twice', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60_000, max: 10 * hour }), (bucketMs) => {
        const sum = stack(bucketMs, ['a'])
          .flatMap(({ values }) => values)
          .reduce((all, each) => all + each, 0)
        expect(sum).toBe(15)
      }),
    )
  })

  test('no span makes more than 62 of them within a year, and each is made of whole buckets of the server', () => {
    const lengths = { minute: 60_000, hour, day: 24 * hour }
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 365 * 24 * hour }), (spanMs) => {
        const { name, ms } = bucketOf({ from: 0, to: spanMs })
        expect(spanMs / ms).toBeLessThanOrEqual(62)
        expect(ms % lengths[name]).toBe(0)
        // The server gives at most 2,000 buckets.
        expect(spanMs / lengths[name]).toBeLessThan(2000)
      }),
    )
  })
})

describe('a span of time in an address', () => {
  const now = Date.UTC(2026, 0, 10)

  test('ends now unless it is a custom one; the last day when nothing is said', () => {
    expect(rangeOf({}, now)).toEqual({ from: now - 24 * hour, to: now })
    expect(rangeOf({ span: 'hour' }, now)).toEqual({ from: now - hour, to: now })
    const custom = { span: 'custom' as const, from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }
    expect(rangeOf(custom, now)).toEqual({ from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 0, 2) })
    expect(rangeOf({ span: 'custom', to: '2026-01-02T00:00:00Z' }, now).from).toBe(Date.UTC(2026, 0, 1))
  })

  test('what is no time is dropped', () => {
    expect(readRangeSearch({ span: 'custom', from: 'yesterday', to: 7 })).toEqual({
      span: 'custom',
      from: undefined,
      to: undefined,
    })
    expect(readRangeSearch({ span: 'century', from: '2026-01-01T00:00:00Z' })).toEqual({
      span: undefined,
      from: undefined,
      to: undefined,
    })
  })
})

describe('a CSV file', () => {
  test('quotes what needs it and runs nothing in a spreadsheet', () => {
    const rows = [
      ['a,b', 1, null],
      ['say "hi"', 0.5, 'two\nlines'],
      ['=HYPERLINK("x")', -1, '@cmd'],
    ]
    expect(csvText(['name', 'number', 'more'], rows)).toBe(
      'name,number,more\r\n"a,b",1,\r\n"say ""hi""",0.5,"two\nlines"\r\n"\'=HYPERLINK(""x"")",-1,\'@cmd\r\n',
    )
  })
})

test('a request has a speed when it was streamed for long enough to measure', () => {
  const answer = { streamed: true, completion_tokens: 181, first_token_ms: 1000, duration_ms: 2000 }
  expect(tokenRate(answer)).toBe('180.0')
  expect(tokenRate({ ...answer, streamed: false })).toBeNull()
  expect(tokenRate({ ...answer, duration_ms: 1001 })).toBeNull()
  expect(tokenRate({ ...answer, first_token_ms: null })).toBeNull()
  expect(tokenRate({ ...answer, completion_tokens: null })).toBeNull()
})
