/** What filters over metadata mean, written down without any database: the sent filter against the metadata itself. */
import fc from 'fast-check'

export interface SentFilter {
  readonly type: string
  readonly key?: string
  readonly [field: string]: unknown
}

type Plain = Readonly<Record<string, unknown>>

/** Whether the filter lets a document with this metadata through. */
export function passes(filter: SentFilter, metadata: Plain): boolean {
  const values = valuesAt(metadata, filter.key?.split('.') ?? [])
  const has = (wanted: readonly unknown[]): boolean => values.some((value) => wanted.some((each) => each === value))
  const inner = filter['filters'] as readonly SentFilter[]
  switch (filter.type) {
    case 'and':
      return inner.every((each) => passes(each, metadata))
    case 'or':
      return inner.some((each) => passes(each, metadata))
    case 'not':
      return !passes(filter['filter'] as SentFilter, metadata)
    case 'exists':
      return values.length > 0
    case 'eq':
      return has([filter['value']])
    case 'ne':
      return !has([filter['value']])
    case 'in':
      return has(filter['value'] as readonly unknown[])
    case 'nin':
      return !has(filter['value'] as readonly unknown[])
    case 'range':
      return values.some((value) => ['gt', 'gte', 'lt', 'lte'].every((name) => within(value, name, filter[name])))
    default:
      return values.some((value) => within(value, filter.type, filter['value']))
  }
}

function within(value: unknown, name: string, bound: unknown): boolean {
  if (bound === undefined) return true
  if (typeof value !== typeof bound) return false
  const order =
    typeof value === 'string'
      ? Buffer.compare(Buffer.from(value), Buffer.from(bound as string))
      : Number(value) - Number(bound)
  return name === 'gt' ? order > 0 : name === 'gte' ? order >= 0 : name === 'lt' ? order < 0 : order <= 0
}

function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  const [first, ...rest] = path
  if (Array.isArray(value)) {
    return [...(first === undefined ? [value] : []), ...value.flatMap((each) => valuesAt(each, path))]
  }
  if (first === undefined) return [value]
  const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, first)
  return isThere ? valuesAt((value as Plain)[first], rest) : []
}

const names = ['a', 'b', 'c']
/** Few of each type, so that filters meet them; in other orders by UTF-16 units than by code points. */
const texts = ['', '1', 'a', 'B', 'é', '\u{1F600}', '\uFFEE', 'true', "it's", 'x'.repeat(512)]
const numbers = [0, 1, -1, 0.5, 2 ** 53, 1e300, -1e-300]
const text = fc.constantFrom(...texts)
const number = fc.constantFrom(...numbers)
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null))
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 2 },
    { arbitrary: scalar, weight: 5 },
    { arbitrary: fc.array(tie('tree'), { maxLength: 3 }), weight: 1 },
    { arbitrary: fc.dictionary(fc.constantFrom(...names), tie('tree'), { maxKeys: 3 }), weight: 1 },
  ),
}))

/** Metadata of a document. */
export const someMetadata: fc.Arbitrary<Plain> = fc
  .dictionary(fc.constantFrom(...names), tree, { maxKeys: 3 })
  // As it is after it was sent.
  .map((metadata) => JSON.parse(JSON.stringify(metadata)) as Plain)

const key = fc.oneof(fc.constantFrom(...names), fc.constantFrom('a.b', 'b.c', 'c.a.b', 'missing'))
const order = fc.constantFrom('gt', 'gte', 'lt', 'lte')
const condition: fc.Arbitrary<SentFilter> = fc.oneof(
  fc.record({ type: fc.constantFrom('eq', 'ne'), key, value: scalar }),
  fc.record({ type: fc.constantFrom('in', 'nin'), key, value: fc.array(scalar, { maxLength: 4 }) }),
  fc.record({ type: order, key, value: fc.oneof(text, number) }),
  fc.record({ type: fc.constant('range'), key, gte: number, lt: number }),
  fc.record({ type: fc.constant('range'), key, gt: text }),
  fc.record({ type: fc.constant('exists'), key }),
)
const joined = fc.letrec<{ filter: SentFilter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    condition,
    fc.record({ type: fc.constantFrom('and', 'or'), filters: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ type: fc.constant('not'), filter: tie('filter') }),
  ),
}))

/** A filter as it is sent. */
export const someFilter: fc.Arbitrary<SentFilter> = joined.filter
