/**
 * The client of the server's API: typed by the OpenAPI document, authenticated by the session cookie.
 * Every failure is an ApiError.
 */
import { ApiError, errorFromResponse, connectionError } from './api-error.ts'
import { renewed } from './renewal.ts'
import type { Operations } from './schema.d.ts'

export type OperationName = keyof Operations
/** The answer of a successful operation. */
export type AnswerOf<Name extends OperationName> = Operations[Name]['answer']
/** The request body of an operation. */
export type BodyOf<Name extends OperationName> = Operations[Name]['body']

type Part<Key extends string, Value> = undefined extends Value
  ? object
  : Value extends undefined
    ? object
    : Record<Key, Value>

/** The required and optional input of an operation. */
export type InputOf<Name extends OperationName> = Part<'params', Operations[Name]['params']> &
  Part<'body', Operations[Name]['body']> & {
    readonly query?: Operations[Name]['query']
    readonly signal?: AbortSignal
    readonly renew?: false
  }

interface LooseInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly signal?: AbortSignal
  /** False: a session that has ended is an error and no reason to sign in again. */
  readonly renew?: false
}

/** Sends one request and returns its JSON. Throws ApiError; an abort is thrown unchanged. */
export async function api<Name extends OperationName>(
  name: Name,
  ...[input]: object extends InputOf<Name> ? [InputOf<Name>?] : [InputOf<Name>]
): Promise<AnswerOf<Name>> {
  const loose = (input ?? {}) as LooseInput
  const [method = 'GET', template = ''] = name.split(' ')
  const init = {
    method,
    ...(loose.signal !== undefined && { signal: loose.signal }),
    ...bodyInit(loose.body),
  }
  const path = pathOf(template, loose)
  const response = await (loose.renew === false ? sendOnce(path, init) : send(path, init))
  return (response.status === 204 ? undefined : await response.json()) as AnswerOf<Name>
}

/**
 * Sends any request and returns its successful response, for streams and files. When the session has ended, it waits for
 * another one and is repeated.
 */
export async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await sendOnce(path, init)
  } catch (thrown) {
    if (!isSignedOut(thrown) || !(await renewed())) throw thrown
    return await sendOnce(path, init)
  }
}

async function sendOnce(path: string, init: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, { credentials: 'same-origin', ...init })
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') throw thrown
    throw connectionError()
  }
  if (!response.ok) throw await errorFromResponse(response)
  return response
}

/** True when the error says that the user must sign in. */
export function isSignedOut(thrown: unknown): boolean {
  return thrown instanceof ApiError && (thrown.code === 'invalid_session' || thrown.code === 'missing_api_key')
}

function pathOf(template: string, { params = {}, query = {} }: LooseInput): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size === 0 ? path : `${path}?${search}`
}

function bodyInit(body: unknown): Pick<RequestInit, 'body' | 'headers'> {
  if (body === undefined) return {}
  if (body instanceof FormData) return { body }
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}
