import { expect, test } from 'bun:test'
import { ApiError } from '#errors/api-error.ts'
import { ReadFailure, type ReadFailureCode } from '#readers/reading.ts'
import { BlobMissing, BlobsUnavailable } from '../blobs/blob-store.ts'
import { EmbedFailure } from '../embedders/embedder.ts'
import { failureOf } from './failure.ts'

const readCodes: readonly ReadFailureCode[] = ['no_text', 'encrypted', 'damaged', 'unsupported_type', 'too_complex']
for (const code of readCodes) {
  test(`a file that is ${code} ends with that code and is not tried again`, () => {
    expect(failureOf(new ReadFailure(code, 'Why.'), 'reading')).toEqual({
      error: { code, stage: 'reading', message: 'Why.', retryable: false },
      again: false,
      retryAfterMs: null,
      countsAttempt: true,
    })
  })
}

const cases: readonly (readonly [string, unknown, string, boolean, number | null])[] = [
  ['bytes that are gone', new BlobMissing('Gone.'), 'bytes_missing', false, null],
  ['a store that is down', new BlobsUnavailable('Down.'), 'store_unavailable', true, 30_000],
  [
    'an embedder that asks to wait',
    new EmbedFailure('embedder_failed', '', { retryable: true, retryAfterMs: 7 }),
    'embedder_failed',
    true,
    7,
  ],
  [
    'an embedder that refuses',
    new EmbedFailure('embedder_refused', '', { retryable: false }),
    'embedder_refused',
    false,
    null,
  ],
  ['a call without access', new ApiError('model_access_denied'), 'model_access_denied', false, null],
  ['a model that is gone', new ApiError('model_not_found'), 'model_not_found', false, null],
  ['a provider that refuses the key', new ApiError('upstream_auth_failed'), 'upstream_auth_failed', false, null],
  ['a provider that fails', new ApiError('upstream_error'), 'upstream_error', true, null],
  ['a provider that is silent', new ApiError('upstream_timeout'), 'upstream_timeout', true, null],
  ['too many requests', new ApiError('upstream_rate_limited'), 'upstream_rate_limited', true, null],
  ['a full disk', Object.assign(new Error('no'), { code: 'ENOSPC' }), 'storage_full', true, 10_000],
  ['a lack of files', Object.assign(new Error('no'), { code: 'EMFILE' }), 'overloaded', true, 10_000],
  ['what nobody foresaw', new TypeError('x is not a function'), 'internal_error', true, null],
  ['what is not an error at all', 'a string', 'internal_error', true, null],
]
for (const [what, thrown, code, again, retryAfterMs] of cases) {
  test(`${what} is ${code}, ${again ? 'tried again' : 'final'}`, () => {
    const failure = failureOf(thrown, 'embedding')
    expect(failure).toMatchObject({ error: { code, stage: 'embedding', retryable: again }, again, retryAfterMs })
    expect(failure.error.message).not.toContain('function')
  })
}
