/** The points of the overview's charts. */
import { expect, test } from 'bun:test'
import { bucketsAround, firstTokenPoints, quantile, usagePoints } from '../../ui/src/routes/overview/buckets.ts'

const hour = 3_600_000
const from = Date.parse('2026-03-01T10:00:00Z')
const nothing = { requests: 0, errors: 0, prompt_tokens: 0, completion_tokens: 0 }

function usagePoint(at: number, requests: number) {
  const kinds = { cached_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0, cost: 0 }
  const rest = { group: null, ...kinds, request_bytes: 0, response_bytes: 0, duration_ms: 0 }
  return { ...nothing, ...rest, at: new Date(at).toISOString(), requests }
}

test('every bucket of the span has a point, the one that has only begun and empty ones too', () => {
  const points = usagePoints({ from, to: from + 2.5 * hour, points: [usagePoint(from + hour, 4)] }, hour)
  expect(points.map(({ at, sums }) => [at, sums.requests])).toEqual([
    [from, 0],
    [from + hour, 4],
    [from + 2 * hour, 0],
  ])
})

test('the median of a bucket is that of its streamed requests; null where there are none', () => {
  const request = (minutes: number, ms: number | null) => ({
    at: new Date(from + minutes * 60_000).toISOString(),
    first_token_ms: ms,
  })
  const requests = [request(1, 100), request(2, 300), request(3, 200), request(4, null), request(61, null)]
  expect(firstTokenPoints(requests, { times: [from, from + hour], bucketMs: hour })).toEqual([
    { at: from, values: [200] },
    { at: from + hour, values: [null] },
  ])
})

test('buckets lie around the requests: as long as is easily read, from the first to the last', () => {
  const at = (ms: number) => ({ at: new Date(ms).toISOString() })
  const minute = 60_000
  const { times, bucketMs } = bucketsAround([at(from + 107 * minute), at(from + 3 * minute), at(from + 50 * minute)])
  expect(bucketMs).toBe(5 * minute)
  expect([times.length, times[0], times.at(-1)]).toEqual([22, from, from + 105 * minute])
  expect(bucketsAround([at(from + 1)])).toEqual({ times: [from], bucketMs: minute })
  expect(bucketsAround([]).times).toEqual([])
})

test('a quantile is one of the values, by nearest rank', () => {
  expect(quantile([], 0.5)).toBeNull()
  expect(quantile([30, 10, 20, 40], 0.5)).toBe(20)
  expect(quantile([30, 10, 20, 40], 0.95)).toBe(40)
  expect(quantile([5], 0.01)).toBe(5)
})
