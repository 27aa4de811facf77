import { describe, expect, test } from 'bun:test'
import { ApiError } from '#errors/api-error.ts'
import { errorCatalogue, type ErrorCode } from '#errors/catalogue.ts'
import { errorResponse } from './error-response.ts'

async function answer(error: ApiError) {
  const response = errorResponse(error)
  return {
    response,
    body: (await response.json()) as { type: string; error: { type: string; message: string; details: unknown } },
  }
}

describe('an error has the type that belongs to its status:', () => {
  const rows: readonly (readonly [ErrorCode, number, string])[] = [
    ['invalid_body', 400, 'invalid_request_error'],
    ['invalid_api_key', 401, 'authentication_error'],
    ['model_access_denied', 403, 'permission_error'],
    ['model_not_found', 404, 'not_found_error'],
    ['body_timeout', 408, 'invalid_request_error'],
    ['request_too_large', 413, 'request_too_large'],
    ['unsupported_media_type', 415, 'invalid_request_error'],
    ['inflight_limit_exceeded', 429, 'rate_limit_error'],
    ['internal_error', 500, 'api_error'],
    ['upstream_error', 502, 'api_error'],
    ['upstream_unavailable', 503, 'overloaded_error'],
    ['upstream_timeout', 504, 'timeout_error'],
  ]
  test.each([...rows])('%s', async (code, status, type) => {
    const { response, body } = await answer(new ApiError(code))
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(body).toEqual({
      type: 'error',
      error: { type, message: errorCatalogue[code].message, details: { error_code: code } },
    })
  })

  test('and so has an upstream’s own', async () => {
    const { response, body } = await answer(
      new ApiError('upstream_rejected', { status: 422, wireCode: null, wireType: 'theirs', message: 'No.' }),
    )
    expect(response.status).toBe(422)
    expect(body).toEqual({ type: 'error', error: { type: 'invalid_request_error', message: 'No.', details: null } })
  })
})

test('an error tells when to try again, and when not to', async () => {
  const { response: later } = await answer(
    new ApiError('inflight_limit_exceeded', { headers: { 'retry-after-ms': '700' } }),
  )
  expect(later.headers.get('retry-after')).toBe('1')
  expect(later.headers.get('retry-after-ms')).toBe('700')
  expect(later.headers.get('x-should-retry')).toBeNull()
  const { response: never } = await answer(new ApiError('invalid_body'))
  expect(never.headers.get('x-should-retry')).toBe('false')
})

test('what is for the log only does not reach the caller', async () => {
  const error = new ApiError('internal_error', { internal: 'secret-1', cause: new Error('secret-2') })
  expect(await errorResponse(error).text()).not.toContain('secret')
})
