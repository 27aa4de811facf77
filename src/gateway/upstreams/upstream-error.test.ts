import { describe, expect, test } from 'bun:test'
import { ApiError } from '#errors/api-error.ts'
import { errorBody } from '#errors/render.ts'
import { replyOf } from '#lib/http1/reply.ts'
import { Secret } from '#lib/secret.ts'
import { UpstreamFailure } from '#providers/provider.ts'
import { failureError, upstreamError } from './upstream-error.ts'

function errorFor(status: number, body: string | object = '', headers: Record<string, string> = {}): Promise<ApiError> {
  return upstreamError(
    replyOf(new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })),
  )
}

const secret = { error: { message: 'Incorrect API key provided: sk-upstream', type: 't', param: 'p', code: 'c' } }

describe("an upstream's refusal of what the caller sent", () => {
  test('is passed on with status, message, type, param and code', async () => {
    const body = {
      error: {
        message: 'Too long.',
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    }
    for (const status of [400, 404, 409, 413, 415, 422]) {
      const error = await errorFor(status, body)
      expect([error.status, errorBody(error), error.row.retryable]).toEqual([status, body, false])
    }
  })

  test('is read in the other shapes that servers write', async () => {
    const shapes: readonly (readonly [object | string, string])[] = [
      [{ error: 'Too long.' }, 'Too long.'],
      [{ object: 'error', message: 'Too long.', type: 'BadRequestError', code: 400 }, 'Too long.'],
      [{ error: { message: 'Too long.' } }, 'Too long.'],
      [{ error: { message: '' } }, 'The model provider refused the request.'],
      [{ error: { message: ['Too long.'] } }, 'The model provider refused the request.'],
      [{ error: '' }, 'The model provider refused the request.'],
      [{ error: null }, 'The model provider refused the request.'],
      [[], 'The model provider refused the request.'],
      ['"text"', 'The model provider refused the request.'],
      ['<html>Bad Request</html>', 'The model provider refused the request.'],
      ['', 'The model provider refused the request.'],
    ]
    const more: readonly (readonly [object, string])[] = [
      [{ detail: 'Too long.' }, 'Too long.'],
      [
        { detail: [{ loc: ['body', 'messages', 0], msg: 'Field required', type: 'missing' }] },
        'messages.0: Field required',
      ],
      [{ detail: [{ msg: 'Bad' }, { loc: ['body'], msg: 'Worse' }, 7] }, 'Bad; Worse'],
      [{ detail: { error: 'Too long.' } }, 'Too long.'],
      [{ type: 'https://example.com/too-long', title: 'Too long', status: 400, detail: 'By ten.' }, 'By ten.'],
      [{ type: 'about:blank', title: 'Too long' }, 'Too long'],
      [{ error: { code: 400, message: 'Too long.', status: 'INVALID_ARGUMENT' } }, 'Too long.'],
      [{ message: 'Too long.' }, 'Too long.'],
      [{ Message: 'Too long.' }, 'Too long.'],
      [{ error: 'Too long.', code: 'too_long' }, 'Too long.'],
      [[{ error: { code: 400, message: 'Too long.', status: 'INVALID_ARGUMENT' } }], 'Too long.'],
      [{ object: 'error', message: { detail: [{ loc: ['body', 'top_k'], msg: 'Extra' }] }, type: 't' }, 'top_k: Extra'],
      [{ error: ['Too long.', 'By ten.'], error_type: 'validation' }, 'Too long.; By ten.'],
      [{ success: false, errors: [{ code: 7, message: 'Too long.' }] }, 'Too long.'],
      [
        { error: { message: 'Refused', code: 400, metadata: { raw: '{"error":{"message":"By ten."}}' } } },
        'Refused: By ten.',
      ],
      [{ error: { message: 'Refused', code: 400, metadata: { raw: '<html>', reasons: [] } } }, 'Refused'],
      [{ detail: [{ loc: ['body', 'n'], msg: 'Bad', input: 'x'.repeat(100_000) }] }, 'n: Bad'],
    ]
    for (const [body, message] of [...shapes, ...more])
      expect(errorBody(await errorFor(400, body)).error.message).toBe(message)
  })

  test('keeps the code that says more than the status', async () => {
    const codes: readonly (readonly [object, string | null])[] = [
      [
        { error: { message: 'x', details: { error_code: 'thread_unsupported_request' } } },
        'thread_unsupported_request',
      ],
      [{ error: { message: 'x', code: 'too_long', details: { error_code: 'other' } } }, 'too_long'],
      [{ error: { code: 400, message: 'x', status: 'INVALID_ARGUMENT' } }, 'INVALID_ARGUMENT'],
      [[{ error: { code: 400, message: 'x', status: 'INVALID_ARGUMENT' } }], 'INVALID_ARGUMENT'],
      [{ message: 'x', code: 400 }, null],
      [{ detail: 'x' }, null],
    ]
    for (const [body, code] of codes) expect(errorBody(await errorFor(400, body)).error.code).toBe(code)
    const mistake = { detail: [{ loc: ['body', 'temperature'], msg: 'Too hot' }] }
    expect(errorBody(await errorFor(422, mistake)).error.param).toBe('temperature')
    const problem = { type: 'about:blank', title: 'Too long' }
    expect(errorBody(await errorFor(400, problem)).error.type).toBe('invalid_request_error')
  })

  test("has the provider's own id of the request and its limits, whatever the status, and no other header", async () => {
    const sent = { 'x-request-id': 'up-1', 'x-ratelimit-remaining-requests': '0', 'x-other': '1', 'set-cookie': 'a=b' }
    for (const status of [400, 401, 404, 429, 500, 503])
      expect((await errorFor(status, {}, sent)).detail.headers).toEqual({
        'x-upstream-request-id': 'up-1',
        'x-ratelimit-remaining-requests': '0',
      })
  })

  test('never has a credential in it, whether its form or its provider gives it away', async () => {
    for (const text of [
      'Bad key sk-upstream-123456.',
      'Sent "Bearer abcdef0123456789".',
      'See http://u:pw@10.0.0.1/x.',
    ])
      expect((await errorFor(400, { detail: text })).message).toContain('[secret]')
    const reply = replyOf(Response.json({ detail: 'Bad key of-no-known-form.' }, { status: 400 }))
    expect((await upstreamError(reply, [new Secret('of-no-known-form')])).message).toBe('Bad key [secret].')
  })

  test('is bounded, however much the upstream writes', async () => {
    expect((await errorFor(400, { error: { message: 'x'.repeat(10_000) } })).message.length).toBeLessThan(2100)
    expect((await errorFor(400, { error: { message: 'x'.repeat(2_000_000) } })).message).toBe(
      'The model provider refused the request.',
    )
  })
})

describe("an upstream's refusal of the gateway", () => {
  test('is the fault of the gateway, and none of its words are passed on', async () => {
    for (const status of [401, 402, 403]) {
      const error = await errorFor(status, secret)
      expect([error.status, error.code, error.row.retryable]).toEqual([502, 'upstream_auth_failed', false])
      expect(JSON.stringify(errorBody(error))).not.toContain('sk-upstream')
    }
  })

  test('for its load is passed on with the time to wait', async () => {
    const error = await errorFor(429, secret, { 'retry-after': '7', 'retry-after-ms': '6500', 'x-other': '1' })
    expect([error.status, error.code, error.detail.headers]).toEqual([
      429,
      'upstream_rate_limited',
      { 'retry-after': '7', 'retry-after-ms': '6500' },
    ])
    expect(JSON.stringify(errorBody(error))).not.toContain('sk-upstream')
  })

  test('for a spent quota keeps the code, so that clients do not try again', async () => {
    for (const error of [{ code: 'insufficient_quota' }, { type: 'insufficient_quota', code: null }]) {
      const refused = await errorFor(429, { error: { message: 'You spent sk-upstream.', ...error } })
      expect([refused.status, refused.wireCode]).toEqual([429, 'insufficient_quota'])
      expect(refused.detail.headers).toMatchObject({ 'x-should-retry': 'false' })
      expect(refused.message).not.toContain('sk-upstream')
    }
  })
})

describe('a failure of an upstream', () => {
  test('is 504 for its time-outs and 502 for all else, with none of its words', async () => {
    const expected: Readonly<Record<number, string>> = {
      408: '504 upstream_timeout',
      504: '504 upstream_timeout',
      500: '502 upstream_error',
      502: '502 upstream_error',
      503: '502 upstream_error',
      529: '502 upstream_error',
      418: '502 upstream_error',
      302: '502 upstream_error',
      307: '502 upstream_error',
    }
    for (const [status, outcome] of Object.entries(expected)) {
      const error = await errorFor(Number(status), secret, { location: 'http://inside' })
      expect(`${error.status} ${error.code}`).toBe(outcome)
      expect(error.detail.internal).toContain(status)
      expect(JSON.stringify([errorBody(error), error.detail.headers])).not.toMatch(/sk-upstream|inside/)
    }
  })

  test('that breaks off in its body keeps its status', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) })
    expect((await upstreamError(replyOf(new Response(broken, { status: 400 })))).code).toBe('upstream_rejected')
    const again = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) })
    expect((await upstreamError(replyOf(new Response(again, { status: 500 })))).code).toBe('upstream_error')
  })
})

describe('a call without an answer', () => {
  test('is 502 in words for each kind of failure, with the cause for the log only', () => {
    const cause = new Error('connect ECONNREFUSED 10.0.0.7')
    const kinds = { refused: 'cannot be reached', reset: 'closed the connection', protocol: 'failed' } as const
    for (const [kind, words] of Object.entries(kinds) as [keyof typeof kinds, string][]) {
      const failure = new UpstreamFailure(kind, cause)
      const error = failureError(failure, null)
      expect([error.status, error.code, error.cause]).toEqual([502, 'upstream_error', failure])
      expect(error.message).toContain(words)
      expect(error.message).not.toContain('10.0.0.7')
    }
  })

  test('that the gateway ended itself has the reason for that, whatever was thrown', () => {
    const ended = new ApiError('client_closed')
    for (const thrown of [new UpstreamFailure('reset', null), new ApiError('upstream_error'), new Error('x'), ended]) {
      expect(failureError(thrown, ended)).toBe(ended)
    }
  })

  test('for a reason that nobody knows is a fault of the gateway', () => {
    const thrown = new TypeError('x')
    expect([failureError(thrown, null).code, failureError(thrown, null).cause]).toEqual(['internal_error', thrown])
    const refusal = new ApiError('upstream_rejected')
    expect(failureError(refusal, null)).toBe(refusal)
  })
})
