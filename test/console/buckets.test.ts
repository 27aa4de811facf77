/** The points of the overview's charts. */
import { expect, test } from 'bun:test'
import { usagePoints } from '../../ui/src/routes/overview/buckets.ts'

const hour = 3_600_000
const from = Date.parse('2026-03-01T10:00:00Z')
const nothing = { requests: 0, errors: 0, prompt_tokens: 0, completion_tokens: 0, first_tokens: 0, first_token_ms: 0 }

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
