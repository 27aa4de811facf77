/**
 * The one way in which the console speaks to the server: typed by the OpenAPI document, with the
 * session cookie, and every failure as an ApiError.
 */
import { ApiError, errorOf, unreachable } from './api-error.ts'
import type { Operations } from './schema.d.ts'

export type OperationName = keyof Operations
/** What a success of an operation answers. */
export type AnswerOf<Name extends OperationName> = Operations[Name]['answer']
/** What an operation takes as its body. */
export type BodyOf<Name extends OperationName> = Operations[Name]['body']

type Part<Key extends string, Value> = undefined extends Value
  ? object
  : Value extends undefined
    ? object
    : Record<Key, Value>

/** The parts of an operation that have to be given, and those that may. */
export type InputOf<Name extends OperationName> = Part<'params', Operations[Name]['params']> &
  Part<'body', Operations[Name]['body']> & { readonly query?: Operations[Name]['query']; readonly signal?: AbortSignal }

interface LooseInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** Sends one request and answers its JSON. Throws ApiError; an abort is thrown as it is. */
export async function api<Name extends OperationName>(
  name: Name,
  ...[input]: object extends InputOf<Name> ? [InputOf<Name>?] : [InputOf<Name>]
): Promise<AnswerOf<Name>> {
  const loose = (input ?? {}) as LooseInput
  const [method = 'GET', template = ''] = name.split(' ')
  const response = await send(pathOf(template, loose), {
    method,
    ...(loose.signal !== undefined && { signal: loose.signal }),
    ...bodyInit(loose.body),
  })
  return (response.status === 204 ? undefined : await response.json()) as AnswerOf<Name>
}

/** Any request; the answer is a success. For what is not JSON: streams and files. */
export async function send(path: string, init: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, { credentials: 'same-origin', ...init })
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') throw thrown
    throw unreachable()
  }
  if (!response.ok) throw await errorOf(response)
  return response
}

/** True for the error of somebody who has to sign in first. */
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
