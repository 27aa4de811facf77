/**
 * The first fault that a schema finds, in plain words: where it is, and what was expected there. The messages of the
 * schema library are for programmers; a message that a schema brings itself is kept. Nothing repeats the value.
 */
import type { z } from 'zod'

export interface Fault {
  /** Dotted path; null for the value as a whole. */
  readonly param: string | null
  readonly message: string
}

type Issue = z.core.$ZodIssue

/** The first fault of a value that a schema refuses. */
export function firstFault({ issues: [first] }: z.ZodError): Fault {
  if (first === undefined) return { param: null, message: 'not allowed' }
  const { issue, path } = nearest(first, [])
  if (issue.code === 'unrecognized_keys')
    return { param: dotted([...path, issue.keys[0] ?? '']), message: 'there is no such field' }
  return { param: dotted(path), message: worded(issue) }
}

/** The first fault as a sentence; `whole` names what has it when no field does. */
export function faultOf(error: z.ZodError, whole: string): string {
  return faultSentence(firstFault(error), whole)
}

/** A fault as a sentence. */
export function faultSentence({ param, message }: Fault, whole: string): string {
  return `${param === null ? whole : `"${param}"`}: ${message}.`
}

interface Placed {
  readonly issue: Issue
  readonly path: readonly PropertyKey[]
}

/** The issue itself, or the one inside it that says more. */
function nearest(issue: Issue, above: readonly PropertyKey[]): Placed {
  const path = [...above, ...issue.path]
  // The reason why the key of a mapping is refused is one level down.
  if (issue.code === 'invalid_key') return { issue: issue.issues[0] ?? issue, path }
  if (issue.code !== 'invalid_union' || !isOwn(issue)) return { issue, path }
  // A value that fits none of several forms means the one whose fault is further in.
  const inner = issue.errors.flatMap(([each]) => (each === undefined ? [] : [nearest(each, path)]))
  return inner.find((each) => each.path.length > path.length) ?? { issue, path }
}

function dotted(path: readonly PropertyKey[]): string | null {
  return path.length === 0 ? null : path.map(String).join('.').slice(0, 200)
}

/** The message is the library's and not one of the schema. */
function isOwn({ message }: Issue): boolean {
  return /^(Invalid|Too (small|big))\b/.test(message)
}

const names: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

function worded(issue: Issue): string {
  const { message } = issue
  if (!isOwn(issue)) return message
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${names[issue.expected] ?? issue.expected}${missing(message)}`
    case 'invalid_value':
      return `expected ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((value) => JSON.stringify(value)).join(', ')}`
    case 'too_small':
    case 'too_big':
      return `expected ${bound(issue)}`
    case 'invalid_union':
      return `expected ${alternatives(issue)}`
    default:
      return message.replace(/^[^:]*: (?=expected)/, '')
  }
}

function missing(message: string): string {
  return message.endsWith('received undefined') ? ', and it is missing' : ''
}

const units: Readonly<Record<string, string>> = { string: 'characters', array: 'items', set: 'items', file: 'bytes' }

function bound(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>): string {
  const isLeast = issue.code === 'too_small'
  const limit = String(issue.code === 'too_small' ? issue.minimum : issue.maximum)
  const unit = units[issue.origin]
  const how = issue.inclusive === false ? (isLeast ? 'more than' : 'less than') : isLeast ? 'at least' : 'at most'
  return `${how} ${limit}${unit === undefined ? '' : ` ${limit === '1' ? unit.slice(0, -1) : unit}`}`
}

/** The forms that a value may have, when it has none of them. */
function alternatives({ errors }: Extract<Issue, { code: 'invalid_union' }>): string {
  const firsts = errors.flatMap(([first]) => (first === undefined ? [] : [first]))
  const forms = new Set(
    firsts.map((each) =>
      worded(each)
        .replace(/^expected /, '')
        .replace(', and it is missing', ''),
    ),
  )
  const lacks = firsts.some(({ message }) => missing(message) !== '') ? ', and it is missing' : ''
  return forms.size === 0 ? 'another value' : `${[...forms].join(' or ')}${lacks}`
}
