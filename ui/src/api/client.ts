/**
 * The client of the server's API: typed by the OpenAPI document, authenticated by the session cookie.
 * Every failure is an ApiError.
 */
import { ApiError, errorFromResponse, connectionError } from './api-error.ts'
import { changedFields, chooseMine, type Versioned } from './conflict.ts'
import { renewed } from './renewal.ts'
import type { Operations } from './schema.d.ts'

export type OperationName = keyof Operations
/** The answer of a successful operation. */
export type AnswerOf<Name extends OperationName> = Operations[Name]['answer']
/** The request body of an operation. */
export type BodyOf<Name extends OperationName> = Operations[Name]['body']

/** The required and optional input of an operation. A change of a record names it, or null for a new one. */
type Input<Operation extends Operations[OperationName]> = {
  readonly [Part in 'params' | 'body' | 'of' as Needed<Operation, Part>]: Operation[Part]
} & {
  readonly query?: Operation['query']
  readonly signal?: AbortSignal
  readonly renew?: false
}
type Needed<
  Operation extends Operations[OperationName],
  Part extends 'params' | 'body' | 'of',
> = undefined extends Operation[Part] ? never : Operation[Part] extends undefined ? never : Part
/** What follows the name of an operation: by name, because the compiler gives up on a union of all of them. */
type Rest = {
  readonly [Name in OperationName]: object extends Input<Operations[Name]>
    ? [Input<Operations[Name]>?]
    : [Input<Operations[Name]>]
}

interface LooseInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly signal?: AbortSignal
  /** False: a session that has ended is an error and no reason to sign in again. */
  readonly renew?: false
  /** The record that is changed, as the person saw it. When it is another one now, the person chooses. */
  readonly of?: Versioned | null
}

/** Sends one request and returns its JSON. Throws ApiError; an abort is thrown unchanged. */
export async function api<Name extends OperationName>(name: Name, ...rest: Rest[Name]): Promise<AnswerOf<Name>> {
  const loose: LooseInput = (rest as readonly LooseInput[])[0] ?? {}
  const [method = 'GET', template = ''] = name.split(' ')
  const path = pathOf(template, loose)
  const sending = (content: unknown, version?: Versioned): Promise<Response> => {
    const { headers, ...encoded } = bodyInit(content)
    const init = {
      method,
      ...(loose.signal !== undefined && { signal: loose.signal }),
      headers: { ...headers, ...(version && { 'if-match': version.etag }) },
      ...encoded,
    }
    return loose.renew === false ? sendOnce(path, init) : send(path, init)
  }
  const { body, of } = loose
  const response = await (of ? changing(method, { body, of }, sending) : sending(body))
  return (response.status === 204 ? undefined : await response.json()) as AnswerOf<Name>
}

/**
 * Changes the version of a record that the person saw. When another person has changed it since, this one chooses; what is
 * then sent holds only what this one has changed, so that the rest is as the other person left it.
 */
async function changing(
  method: string,
  { body, of }: { readonly body: unknown; readonly of: Versioned },
  sending: (body: unknown, of: Versioned) => Promise<Response>,
): Promise<Response> {
  const fields = (body ?? null) as Readonly<Record<string, unknown>> | null
  // PUT replaces the whole, and has no fields to leave out.
  const mine = fields !== null && method === 'PATCH' ? changedFields(of, fields) : fields
  let [version, wanted] = [of, body]
  for (;;) {
    try {
      return await sending(wanted, version)
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.current === undefined) throw thrown
      await chooseMine(thrown, { before: of, now: thrown.current, mine })
      ;[version, wanted] = [thrown.current, mine ?? undefined]
    }
  }
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

function bodyInit(body: unknown): { readonly body?: string | FormData; readonly headers?: Record<string, string> } {
  if (body === undefined) return {}
  if (body instanceof FormData) return { body }
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}
