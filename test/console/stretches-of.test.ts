/** The timeline of a request, from what its record has. */
import { expect, test } from 'bun:test'
import type { RequestRecord } from '../../ui/src/api/schema.d.ts'
import { stretchesOf } from '../../ui/src/routes/requests/stretches-of.ts'

type Failure = RequestRecord['attempt_reasons'][number]

const failure = (started: number | null, took: number | null): Failure => ({
  provider: 'away',
  reason: 'upstream_timeout',
  model: 'm',
  status: null,
  message: 'No.',
  started_ms: started,
  duration_ms: took,
})

function record(fields: Partial<RequestRecord>): RequestRecord {
  return {
    at: '2026-01-01T00:00:00.000Z',
    request_id: 'r',
    user_id: null,
    key_id: null,
    endpoint: 'chat/completions',
    model_asked: 'm',
    model: 'm',
    provider: 'here',
    status: 200,
    code: null,
    upstream_status: 200,
    attempts: 1,
    upstream_model: 'm',
    attempt_reasons: [],
    queue_ms: null,
    called_ms: 10,
    limits: [],
    streamed: true,
    prompt_tokens: 1,
    completion_tokens: 1,
    cached_tokens: null,
    cache_write_tokens: null,
    reasoning_tokens: null,
    cost: null,
    price_id: null,
    currency: 'USD',
    first_token_ms: 100,
    duration_ms: 500,
    request_bytes: 1,
    response_bytes: 1,
    ...fields,
  }
}

const drawn = (fields: Partial<RequestRecord>) =>
  stretchesOf(record(fields)).map(({ kind, from, to }) => [kind, from, to])

test('a stream has its own work, its call until the first token, and the rest', () => {
  expect(drawn({})).toEqual([
    ['own', 0, 10],
    ['call', 10, 100],
    ['stream', 100, 500],
  ])
  expect(drawn({ streamed: false, first_token_ms: 500 })).toEqual([
    ['own', 0, 10],
    ['call', 10, 500],
  ])
})

test('the queue comes before the first call, and failed calls before the one that serves', () => {
  const fields = { queue_ms: 40, attempts: 2, called_ms: 90, attempt_reasons: [failure(50, 20)] }
  expect(drawn(fields)).toEqual([
    ['own', 0, 10],
    ['queue', 10, 50],
    ['failed', 50, 70],
    ['call', 90, 100],
    ['stream', 100, 500],
  ])
})

test('no call is drawn after the last one failed, and none where none was made', () => {
  const failed = { status: 504, code: 'upstream_timeout', first_token_ms: null }
  expect(drawn({ ...failed, called_ms: 50, attempt_reasons: [failure(50, 450)] }).at(-1)).toEqual(['failed', 50, 500])
  const refused = { ...failed, status: 429, attempts: 0, called_ms: null }
  expect(drawn(refused)).toEqual([['own', 0, 500]])
  // Refused here by the only component: nothing was sent.
  expect(drawn({ ...refused, attempt_reasons: [failure(null, null)] })).toEqual([['failed', null, null]])
  // The client left while the call ran: it has not failed.
  expect(drawn({ ...failed, status: 499, code: 'client_closed' }).at(-1)).toEqual(['call', 10, 500])
})

test('a record of an earlier version has its calls without their times', () => {
  const old = { called_ms: null, attempts: 2, attempt_reasons: [failure(null, null)] }
  expect(drawn(old)).toEqual([
    ['failed', null, null],
    ['call', null, 100],
    ['stream', 100, 500],
  ])
  expect(drawn({ ...old, attempts: 1, status: 502, first_token_ms: null })).toEqual([['failed', null, null]])
})
