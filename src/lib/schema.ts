/**
 * Zod, whose schemas are made when they are first used. All that Sluice accepts and answers is described by some five
 * thousand of them, of which a process uses few: making all at the start took a quarter of the heap of an idle server.
 *
 * Invariant: a schema from here behaves as the same one from Zod does, alone and inside others (`schema.test.ts`).
 */
import * as zod from 'zod'

// One by one, so that a bundle has no more of Zod: its messages in fifty languages are the larger part.
/** What makes a schema. */
const makers = {
  array: zod.array,
  boolean: zod.boolean,
  discriminatedUnion: zod.discriminatedUnion,
  enum: zod.enum,
  guid: zod.guid,
  int: zod.int,
  literal: zod.literal,
  looseObject: zod.looseObject,
  null: zod.null,
  number: zod.number,
  object: zod.object,
  partialRecord: zod.partialRecord,
  record: zod.record,
  strictObject: zod.strictObject,
  string: zod.string,
  union: zod.union,
  unknown: zod.unknown,
  uuid: zod.uuid,
}

/** What makes a schema from another. Whatever else is asked of a schema makes it first. */
const steps: ReadonlySet<PropertyKey> = new Set([
  'catch',
  'default',
  'describe',
  'extend',
  'gt',
  'length',
  'max',
  'meta',
  'min',
  'nullable',
  'nullish',
  'omit',
  'optional',
  'or',
  'overwrite',
  'partial',
  'positive',
  'prefault',
  'refine',
  'regex',
  'superRefine',
  'toLowerCase',
  'transform',
  'trim',
])

type Make = (...args: readonly unknown[]) => object

/** The call that makes a schema, until it is made. */
interface Pending {
  /** The makers, or the schema that this one is made from. */
  readonly of: object
  readonly name: PropertyKey
  readonly args: readonly unknown[]
}

interface Later {
  pending: Pending | null
  made: object
}

const laterOf = new WeakMap<object, Later>()
const notMade = {}

/** Zod's own schema. */
function made(later: Later): object {
  const { pending } = later
  if (pending !== null) {
    const make = Reflect.get(zods(pending.of) as object, pending.name) as Make
    later.made = make(...pending.args.map(zods))
    later.pending = null
  }
  return later.made
}

/** The value with Zod's own schemas in place of those from here, in shapes and lists as well. */
function zods(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const later = laterOf.get(value)
  if (later !== undefined) return made(later)
  if (Array.isArray(value)) return value.map(zods)
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, zods(each)]))
}

const handler: ProxyHandler<Later> = {
  get(later, name, self: object) {
    // Also of a schema that is made: the arguments may be schemas that are not.
    if (steps.has(name)) return (...args: readonly unknown[]) => schemaLater({ of: self, name, args })
    const value = Reflect.get(made(later), name) as unknown
    return name === 'shape' ? shapeOf(value as Shape) : value
  },
  has: (later, name) => Reflect.has(made(later), name),
}

type Shape = Readonly<Record<string, object>>

/** The parts of an object's schema, from each of which others can be made. */
function shapeOf(shape: Shape): Shape {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, proxyOf({ pending: null, made: schema })]),
  )
}

function schemaLater(pending: Pending): object {
  return proxyOf({ pending, made: notMade })
}

function proxyOf(later: Later): object {
  const schema = new Proxy(later, handler)
  laterOf.set(schema, later)
  return schema
}

/** These functions of Zod, which note how they were called. */
function noting<Makers extends object>(of: Makers): Makers {
  const noted = Object.keys(of).map((name) => [name, (...args: readonly unknown[]) => schemaLater({ of, name, args })])
  return Object.fromEntries(noted) as Makers
}

export const z = {
  ...noting(makers),
  iso: noting({ date: zod.iso.date, datetime: zod.iso.datetime }),
  coerce: noting({ number: zod.coerce.number }),
  lazy: <T extends zod.core.SomeType>(getter: () => T) => zod.lazy(() => zods(getter()) as T),
  toJSONSchema: (schema: zod.ZodType, params?: zod.core.ToJSONSchemaParams): zod.core.JSONSchema.BaseSchema =>
    zod.toJSONSchema(zods(schema) as zod.ZodType, params),
  NEVER: zod.NEVER,
  ZodDefault: zod.ZodDefault,
  ZodError: zod.ZodError,
  ZodObject: zod.ZodObject,
  ZodOptional: zod.ZodOptional,
  ZodString: zod.ZodString,
}

/** Zod's types under the names that they have there. */
export declare namespace z {
  export type input<T> = zod.input<T>
  export type output<T> = zod.output<T>
  export type infer<T> = zod.output<T>
  export type ZodType<Output = unknown, Input = unknown> = zod.ZodType<Output, Input>
  export type ZodObject = zod.ZodObject
  export type ZodString = zod.ZodString
  export type ZodUndefined = zod.ZodUndefined
  export type ZodVoid = zod.ZodVoid
  export type ZodError = zod.ZodError
}
