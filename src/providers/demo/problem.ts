/**
 * What the practice provider refuses, as an upstream of the OpenAI kind would refuse it. Nothing
 * here is an error of the gateway: those are rows of the catalogue.
 * Shape: https://platform.openai.com/docs/guides/error-codes
 */
import type { ErrorBody } from '#errors/render.ts'

/** Ends a call with an OpenAI-shaped error; caught only in `demoProvider`. */
export class DemoProblem extends Error {
  readonly status: number
  readonly param: string | null
  readonly code: string | null

  constructor(message: string, param: string | null = null, code: string | null = null, status = 400) {
    super(message)
    this.name = 'DemoProblem'
    this.status = status
    this.param = param
    this.code = code
  }
}

/** The problem as an HTTP answer; a 429 tells the caller to come back after one second. */
export function problemResponse(problem: DemoProblem): Response {
  const { status, param, code, message } = problem
  const body: ErrorBody = { error: { message, type: typeOf(status), param, code } }
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (status === 429) headers['retry-after'] = '1'
  return new Response(JSON.stringify(body), { status, headers })
}

/** The problem that the directive `/error <status>` orders. */
export function orderedProblem(status: number): DemoProblem {
  if (status < 400 || status > 599) return new DemoProblem('The directive /error takes a status from 400 to 599.')
  const code = status === 429 ? 'rate_limit_exceeded' : status === 401 ? 'invalid_api_key' : null
  return new DemoProblem(`The practice provider was told to answer ${status}.`, null, code, status)
}

function typeOf(status: number): string {
  if (status >= 500) return 'server_error'
  return status === 429 ? 'requests' : 'invalid_request_error'
}
