/**
 * Checks what a client sent against a schema and words the first fault. No message repeats the value,
 * which may be a password.
 */
import type { z } from 'zod'
import { ApiError } from '#errors/api-error.ts'

/** A well-formed body as the schema has it. Answers 422 with the path of the first fault. */
export function validBody<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const { param, message } = firstFault(result.error)
  throw new ApiError('validation_failed', { param, message: sentenceOf({ param, message }, 'The body') })
}

/** The first fault as a sentence; `whole` names what has it when no field does. */
export function faultOf(error: z.ZodError, whole: string): string {
  return sentenceOf(firstFault(error), whole)
}

function sentenceOf({ param, message }: Fault, whole: string): string {
  return `${param === null ? whole : `"${param}"`}: ${message}.`
}

/** The query as the schema has it. Answers 400 for a value, an unknown name, or a name that comes twice. */
export function validQuery<S extends z.ZodObject>(schema: S, query: URLSearchParams): z.output<S> {
  const values: Record<string, string> = {}
  for (const [name, value] of query) {
    if (name in values)
      throw new ApiError('invalid_query_parameter', { param: name, message: `"${name}" is given more than once.` })
    values[name] = value
  }
  const result = schema.safeParse(values)
  if (result.success) return result.data
  const { param, message } = firstFault(result.error)
  throw new ApiError('invalid_query_parameter', { param, message: `"${param ?? ''}": ${message}.` })
}

interface Fault {
  /** Dotted path; null for the body as a whole. */
  readonly param: string | null
  readonly message: string
}

function firstFault(error: z.ZodError): Fault {
  const [issue] = error.issues
  if (issue === undefined) return { param: null, message: 'not allowed' }
  if (issue.code === 'unrecognized_keys') {
    return { param: dotted([...issue.path, issue.keys[0] ?? '']), message: 'there is no such field' }
  }
  // The reason why the key of a mapping is refused is one level down.
  const [inner] = issue.code === 'invalid_key' ? issue.issues : []
  return { param: dotted(issue.path), message: worded((inner ?? issue).message) }
}

function dotted(path: readonly PropertyKey[]): string | null {
  return path.length === 0 ? null : path.map(String).join('.').slice(0, 200)
}

function worded(message: string): string {
  return message.replace(/^[^:]*: (?=expected)/, '').replace('received undefined', 'and it is missing')
}
