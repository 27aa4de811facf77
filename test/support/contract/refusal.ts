/** What every refusal of the gateway has in common, checked in one place. */
import { expect } from 'bun:test'
import { errorCatalogue, type ErrorCode } from '#errors/catalogue.ts'

export interface ErrorObject {
  readonly message: string
  readonly type: string
  readonly param: string | null
  readonly code: string | null
}

export interface PromisedRefusal {
  readonly status: number
  readonly type: string
  readonly code: ErrorCode
  readonly param?: string | null
}

/**
 * Reads a refusal and checks its shape: OpenAI's error object and nothing else, JSON, a request id,
 * and the word about retrying that its code promises. Returns the error for what is left to check.
 */
export async function expectRefusal(response: Response, promised: PromisedRefusal): Promise<ErrorObject> {
  const text = await response.text()
  expect([response.status, text]).toEqual([promised.status, expect.stringContaining('"error"')])
  const body = JSON.parse(text) as { readonly error: ErrorObject }
  expect(body).toEqual({
    error: { message: expect.any(String), type: promised.type, param: promised.param ?? null, code: promised.code },
  })
  expect(body.error.message).not.toBe('')
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('x-request-id')).toMatch(/^[\w.:-]+$/)
  expect(response.headers.get('x-should-retry')).toBe(errorCatalogue[promised.code].retryable ? null : 'false')
  expect(response.headers.get('www-authenticate')).toBe(promised.status === 401 ? 'Bearer' : null)
  return body.error
}
