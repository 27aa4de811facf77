/**
 * Any value as plain JSON that may be logged: credentials taken out, errors with their causes, and
 * bounded in depth and length, so that no caller can make a record of a megabyte.
 */
import { Secret } from '#lib/secret.ts'
import { isCredentialField, redact } from './redact.ts'

const depthMax = 6
const entriesMax = 100
const stringCharactersMax = 8192

export interface LoggableOptions {
  /** Secrets whose values are removed wherever they occur. */
  readonly secrets: readonly Secret[]
}

/** The value as it may be logged. Never throws, always ends, also for circular values. */
export function loggable(value: unknown, options: LoggableOptions, depth = 0): unknown {
  switch (typeof value) {
    case 'string':
      return text(value, options)
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'boolean':
    case 'undefined':
      return value
    case 'bigint':
      return String(value)
    case 'symbol':
    case 'function':
      return `[${typeof value}]`
    case 'object':
      return value === null ? null : loggableObject(value, options, depth)
  }
}

function loggableObject(value: object, options: LoggableOptions, depth: number): unknown {
  if (value instanceof Secret) return String(value)
  if (depth >= depthMax) return '[deep]'
  try {
    if (value instanceof Error) return loggableError(value, options, depth)
    if (Array.isArray(value)) return value.slice(0, entriesMax).map((item) => loggable(item, options, depth + 1))
    if (value instanceof Map) return entries([...value], options, depth)
    if (value instanceof Set) return loggable([...value], options, depth)
    if (value instanceof Headers) return entries([...value], options, depth)
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`
    if (hasJson(value)) return loggable(value.toJSON(), options, depth + 1)
    return entries(Object.entries(value), options, depth)
  } catch {
    return '[unreadable]'
  }
}

function hasJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function'
}

function entries(pairs: readonly (readonly [unknown, unknown])[], options: LoggableOptions, depth: number): unknown {
  const shown: [string, unknown][] = []
  for (const [key, value] of pairs.slice(0, entriesMax)) {
    const name = text(String(key), options)
    shown.push([name, isCredentialField(name) ? '[secret]' : loggable(value, options, depth + 1)])
  }
  return Object.fromEntries(shown)
}

function loggableError(error: Error, options: LoggableOptions, depth: number): unknown {
  const { code } = error as { readonly code?: unknown }
  return {
    name: text(error.name, options),
    message: text(error.message, options),
    ...(typeof code === 'string' || typeof code === 'number' ? { code: loggable(code, options) } : {}),
    ...(error.stack === undefined ? {} : { stack: text(error.stack, options) }),
    ...(error instanceof AggregateError ? { errors: loggable(error.errors, options, depth + 1) } : {}),
    ...(error.cause === undefined ? {} : { cause: loggable(error.cause, options, depth + 1) }),
  }
}

/** Redacted before it is cut: a key cut in half would no longer look like one. */
function text(value: string, options: LoggableOptions): string {
  const clean = redact(value, options.secrets)
  return clean.length <= stringCharactersMax
    ? clean
    : `${clean.slice(0, stringCharactersMax)}[${clean.length} characters]`
}
