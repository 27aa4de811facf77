/**
 * Filters and paths of SCIM as text (RFC 7644, 3.4.2.2 and 3.5.2): `userName eq "a" and not (active eq false)`,
 * `emails[type eq "work"].value`. Read in one pass, with bounds on length and depth.
 */
import { ApiError } from '#errors/api-error.ts'
import type { ScimFilter, ScimOperator } from '#store/identity/scim-filter.ts'

/** A path of a PATCH: an attribute, perhaps a choice among its values, perhaps one of their fields; all in lower case. */
export interface ScimPath {
  readonly attribute: string
  readonly filter: ScimFilter | null
  /** Empty for the value itself. */
  readonly sub: string
}

const lengthMax = 2000
const depthMax = 20
const operators: ReadonlySet<string> = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'])
const token = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([^\s()[\]"]+))/y
/** A schema before an attribute: `urn:ietf:params:scim:schemas:core:2.0:User:userName`. */
const schemaPrefix = /^urn:[\w.:-]+:(?=[A-Za-z$])/i

/** The filter. Answers 400 `invalidFilter` by throwing. */
export function readFilter(text: string): ScimFilter {
  const reader = new Reader(text)
  const filter = reader.or('', 0)
  reader.end()
  return filter
}

/** The path. Answers 400 `invalidPath` by throwing. */
export function readPath(text: string): ScimPath {
  const parts = /^([^[\]]+?)(?:\[([^\]]*)\])?(?:\.([\w$-]+))?$/.exec(text.trim().replace(schemaPrefix, ''))
  const [, attribute = '', chosen, sub = ''] = parts ?? []
  if (text.length > lengthMax || !/^[\w$.:-]+$/.test(attribute)) throw invalidPath(text)
  const lower = attribute.toLowerCase()
  // Without brackets the dot is part of the first group or the third alike.
  const path = chosen === undefined && sub !== '' ? `${lower}.${sub.toLowerCase()}` : lower
  try {
    const filter = chosen === undefined ? null : readFilter(chosen)
    return { attribute: path, filter, sub: chosen === undefined ? '' : sub.toLowerCase() }
  } catch {
    throw invalidPath(text)
  }
}

/** Whether a record matches, whose fields are in lower case. */
export function matches(filter: ScimFilter, record: Readonly<Record<string, unknown>>): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.every((each) => matches(each, record))
    case 'or':
      return filter.filters.some((each) => matches(each, record))
    case 'not':
      return !matches(filter.filter, record)
    case 'present':
      return (record[filter.attribute] ?? '') !== ''
    case 'compare':
      return compares(filter.operator, textOf(record[filter.attribute]), textOf(filter.value))
  }
}

function compares(operator: ScimOperator, left: string, right: string): boolean {
  if (operator === 'eq' || operator === 'ne') return (left === right) === (operator === 'eq')
  if (operator === 'co') return left.includes(right)
  if (operator === 'sw') return left.startsWith(right)
  if (operator === 'ew') return left.endsWith(right)
  if (left === right) return operator === 'ge' || operator === 'le'
  return left > right === (operator === 'gt' || operator === 'ge')
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number'
    ? String(value).toLowerCase()
    : ''
}

class Reader {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(text: string) {
    if (text.length > lengthMax) throw invalidFilter(`is longer than ${lengthMax} characters`)
    const tokens: string[] = []
    token.lastIndex = 0
    for (let from = 0; text.slice(from).trim() !== ''; from = token.lastIndex) {
      token.lastIndex = from
      const found = token.exec(text)
      if (found === null) throw invalidFilter('has a text without its end')
      tokens.push(found[1] ?? found[2] ?? found[3] ?? '')
    }
    this.#tokens = tokens
  }

  or(prefix: string, depth: number): ScimFilter {
    if (depth > depthMax) throw invalidFilter('is nested too deeply')
    const filters = [this.#and(prefix, depth)]
    while (this.#takes('or')) filters.push(this.#and(prefix, depth))
    const [only] = filters
    return only !== undefined && filters.length === 1 ? only : { kind: 'or', filters }
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw invalidFilter('goes on after its end')
  }

  #and(prefix: string, depth: number): ScimFilter {
    const filters = [this.#term(prefix, depth)]
    while (this.#takes('and')) filters.push(this.#term(prefix, depth))
    const [only] = filters
    return only !== undefined && filters.length === 1 ? only : { kind: 'and', filters }
  }

  #term(prefix: string, depth: number): ScimFilter {
    if (this.#takes('not')) return { kind: 'not', filter: this.#inside('(', ')', prefix, depth) }
    if (this.#tokens[this.#at] === '(') return this.#inside('(', ')', prefix, depth)
    const attribute = this.#attribute(prefix)
    if (this.#tokens[this.#at] !== '[') return this.#comparison(attribute)
    const chosen = this.#inside('[', ']', `${attribute}.`, depth)
    // `emails[type eq "work"].value eq "a@b"`: the chosen value is compared.
    const sub = /^\.([\w$-]+)$/.exec(this.#tokens[this.#at] ?? '')?.[1]
    if (sub === undefined) return chosen
    this.#at += 1
    return { kind: 'and', filters: [chosen, this.#comparison(`${attribute}.${sub.toLowerCase()}`)] }
  }

  #comparison(attribute: string): ScimFilter {
    const operator = this.#take().toLowerCase()
    if (operator === 'pr') return { kind: 'present', attribute }
    if (!operators.has(operator)) throw invalidFilter(`has no operator after "${attribute}"`)
    return { kind: 'compare', attribute, operator: operator as ScimOperator, value: this.#value() }
  }

  #inside(open: string, close: string, prefix: string, depth: number): ScimFilter {
    if (this.#take() !== open) throw invalidFilter(`lacks "${open}"`)
    const filter = this.or(prefix, depth + 1)
    if (this.#take() !== close) throw invalidFilter(`lacks "${close}"`)
    return filter
  }

  #attribute(prefix: string): string {
    const name = this.#take().replace(schemaPrefix, '')
    if (!/^[\w$.:-]+$/.test(name)) throw invalidFilter('has no attribute where there should be one')
    return prefix + name.toLowerCase()
  }

  #value(): string | number | boolean | null {
    const written = this.#take()
    try {
      const value: unknown = JSON.parse(written.startsWith('"') ? written : written.toLowerCase())
      if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value as string
    } catch {
      // Not a value of JSON.
    }
    throw invalidFilter('has a value that is not JSON')
  }

  /** Whether this word is next, which is taken then. */
  #takes(word: string): boolean {
    if (this.#tokens[this.#at]?.toLowerCase() !== word) return false
    this.#at += 1
    return true
  }

  #take(): string {
    const next = this.#tokens[this.#at]
    if (next === undefined) throw invalidFilter('ends in the middle')
    this.#at += 1
    return next
  }
}

function invalidFilter(what: string): ApiError {
  return new ApiError('invalid_query_parameter', { param: 'filter', message: `The filter ${what}.` })
}

function invalidPath(path: string): ApiError {
  const shown = path.slice(0, 100).toWellFormed()
  return new ApiError('invalid_body', { param: 'path', message: `"${shown}" is not a path of an attribute.` })
}
