import { describe, expect, test } from 'bun:test'
import { ApiError } from '#errors/api-error.ts'
import { errorBody } from '#errors/render.ts'
import { replyOf } from '#lib/http1/reply.ts'
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
    for (const [body, message] of shapes) expect(errorBody(await errorFor(400, body)).error.message).toBe(message)
  })

  test('is bounded, however much the upstream writes', async () => {
    expect((await errorFor(400, { error: { message: 'x'.repeat(10_000) } })).message.length).toBeLessThan(2100)
    expect((await errorFor(400, { error: { message: 'x'.repeat(100_000) } })).message).toBe(
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
