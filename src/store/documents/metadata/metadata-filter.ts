/**
 * Filters over metadata, in the form that OpenAI's vector stores use, with `not`, `exists` and `range` beside it. What is
 * read is reduced to three conditions and three ways to join them, so that both engines have little to agree about.
 *
 * Values are compared with values of their own type only. A list matches if one of its values does. `ne`, `nin` and `not`
 * also let through what lacks the key.
 */
import { isObject } from '#lib/json-value.ts'
import { plainText } from '../plain-text.ts'
import { metadataBounds, type MetadataValue } from './metadata.ts'

export type MetadataFilter =
  | { readonly kind: 'in'; readonly key: string; readonly values: readonly MetadataValue[] }
  /** One value that is within all bounds, which have one type. */
  | { readonly kind: 'range'; readonly key: string; readonly bounds: readonly Bound[] }
  | { readonly kind: 'exists'; readonly key: string }
  | { readonly kind: 'and' | 'or'; readonly filters: readonly MetadataFilter[] }
  | { readonly kind: 'not'; readonly filter: MetadataFilter }

export interface Bound {
  readonly operator: '>' | '>=' | '<' | '<='
  readonly value: string | number
}

export type ReadFilter =
  | { readonly kind: 'filter'; readonly filter: MetadataFilter }
  /** `at` is the path within the filter, for example `filters[1].key`; empty for the filter itself. */
  | { readonly kind: 'fault'; readonly at: string; readonly message: string }

/** A search costs as much as its filter has conditions, so these are few. */
export const filterBounds = { depth: 8, conditions: 50, values: 1000 } as const

export const filterTypes = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'nin',
  'range',
  'exists',
  'and',
  'or',
  'not',
] as const
type FilterType = (typeof filterTypes)[number]

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const
const keyAndValue = ['key', 'value']
const fieldsOfType: Readonly<Record<FilterType, readonly string[]>> = {
  eq: keyAndValue,
  ne: keyAndValue,
  gt: keyAndValue,
  gte: keyAndValue,
  lt: keyAndValue,
  lte: keyAndValue,
  in: keyAndValue,
  nin: keyAndValue,
  range: ['key', ...Object.keys(operators)],
  exists: ['key'],
  and: ['filters'],
  or: ['filters'],
  not: ['filter'],
}

class Fault extends Error {
  readonly at: string
  constructor(at: string, message: string) {
    super(message)
    this.at = at
  }
}

/** A filter as it was sent, or what is wrong with it. Costs at most what the bounds allow, whatever was sent. */
export function readFilter(sent: unknown): ReadFilter {
  try {
    return { kind: 'filter', filter: new FilterReader().read(sent, '', 1) }
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    return { kind: 'fault', at: thrown.at, message: thrown.message }
  }
}

class FilterReader {
  #conditions = 0
  #values = 0

  read(sent: unknown, at: string, depth: number): MetadataFilter {
    if (depth > filterBounds.depth) throw new Fault(at, `is nested more than ${filterBounds.depth} levels deep`)
    if (!isObject(sent)) throw new Fault(at, 'must be an object with a "type"')
    const type = filterTypes.find((each) => each === sent['type'])
    if (type === undefined) throw new Fault(inner(at, 'type'), `must be one of ${filterTypes.join(', ')}`)
    const known = fieldsOfType[type]
    const unknown = Object.keys(sent).find((name) => name !== 'type' && !known.includes(name))
    if (unknown !== undefined)
      throw new Fault(inner(at, unknown.slice(0, 100)), `is not a field of "${type}"; it has ${known.join(', ')}`)
    if (type === 'not') return { kind: 'not', filter: this.read(sent['filter'], inner(at, 'filter'), depth + 1) }
    if (type === 'and' || type === 'or') return this.#joined(type, sent['filters'], { at, depth })
    return this.#condition(type, sent, at)
  }

  #joined(
    kind: 'and' | 'or',
    sent: unknown,
    { at, depth }: { readonly at: string; readonly depth: number },
  ): MetadataFilter {
    const place = inner(at, 'filters')
    if (!Array.isArray(sent) || sent.length === 0) throw new Fault(place, 'must be a list of at least one filter')
    const { conditions } = filterBounds
    if (sent.length > conditions) throw new Fault(place, `may have at most ${conditions} filters`)
    return { kind, filters: sent.map((each, index) => this.read(each, `${place}[${index}]`, depth + 1)) }
  }

  #condition(type: Exclude<FilterType, 'and' | 'or' | 'not'>, sent: Record<string, unknown>, at: string) {
    const { conditions } = filterBounds
    if ((this.#conditions += 1) > conditions) throw new Fault(at, `is one too many: at most ${conditions} conditions`)
    const key = keyOf(sent['key'], inner(at, 'key'))
    const place = inner(at, 'value')
    if (type === 'exists') return { kind: 'exists', key } as const
    if (type === 'eq' || type === 'ne' || type === 'in' || type === 'nin') {
      const isList = type === 'in' || type === 'nin'
      const has = { kind: 'in', key, values: this.#list(isList ? sent['value'] : [sent['value']], place) } as const
      return type === 'ne' || type === 'nin' ? ({ kind: 'not', filter: has } as const) : has
    }
    const named = type === 'range' ? sent : { [type]: sent['value'] }
    const bounds = Object.entries(operators).flatMap(([name, operator]): Bound[] => {
      if (!Object.hasOwn(named, name)) return []
      return [{ operator, value: boundOf(named[name], type === 'range' ? inner(at, name) : place) }]
    })
    if (bounds.length === 0) throw new Fault(at, 'must have one of gt, gte, lt, lte')
    if (new Set(bounds.map(({ value }) => typeof value)).size > 1)
      throw new Fault(at, 'must have bounds of one type: numbers, or texts')
    return { kind: 'range', key, bounds } as const
  }

  #list(sent: unknown, at: string): readonly MetadataValue[] {
    if (!Array.isArray(sent)) throw new Fault(at, 'must be a list of values')
    const { values } = filterBounds
    if ((this.#values += sent.length) > values) throw new Fault(at, `is too long: at most ${values} values in all`)
    return sent.map((value: unknown) => {
      if (typeof value === 'boolean' || value === null) return value
      return boundOf(value, at)
    })
  }
}

function keyOf(sent: unknown, at: string): string {
  const { keyMax } = metadataBounds
  if (typeof sent === 'string' && sent !== '' && sent.length <= keyMax) return plainText(sent)
  throw new Fault(at, `must be a key of 1 to ${keyMax} characters`)
}

function boundOf(sent: unknown, at: string): string | number {
  const { textMax } = metadataBounds
  if (typeof sent === 'number' && Number.isFinite(sent)) return sent + 0
  if (typeof sent === 'string' && sent.length <= textMax) return plainText(sent)
  throw new Fault(
    at,
    typeof sent === 'string'
      ? `may have at most ${textMax} characters`
      : 'must be a text, a number, true, false or null',
  )
}

function inner(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`
}
