/** Bodies that the JSON schema of an operation takes, or nearly so, with texts and lists of any length in every field. */

/** As far as the OpenAPI document of the server uses it. */
export interface BodySchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly BodySchema[]
  readonly oneOf?: readonly BodySchema[]
  readonly properties?: Readonly<Record<string, BodySchema>>
  readonly required?: readonly string[]
  readonly items?: BodySchema
  readonly format?: string
  readonly minimum?: number
}

export interface SampleOptions {
  /** The schemas that a reference can name. */
  readonly schemas: Readonly<Record<string, BodySchema>>
  /** Fields that are not required, too. */
  readonly everyField?: boolean
  /** UTF-16 units of each text. */
  readonly characters?: number
  /** Items of each list. */
  readonly items?: number
}

const formats: Readonly<Record<string, string>> = {
  email: 'someone@example.com',
  uuid: '5f3b9f6e-0f3a-4b57-8d0c-3c1c7e6f2a10',
  uri: 'http://127.0.0.1:1/',
}
const depthMax = 5

type Sampler = (schema: BodySchema, options: SampleOptions, depth: number) => unknown

const samplers: Readonly<Record<string, Sampler>> = {
  object: (schema, options, depth) => (depth > depthMax ? {} : objectOf(schema, options, depth + 1)),
  array: (schema, options, depth) => (depth > depthMax ? [] : arrayOf(schema, options, depth + 1)),
  boolean: () => true,
  integer: ({ minimum = 1 }) => Math.max(1, minimum),
  number: ({ minimum = 1 }) => Math.max(1, minimum),
  string: textOf,
}

/** A value for the schema; long where the options say so. */
export function sampleOf(schema: BodySchema, options: SampleOptions, depth = 0): unknown {
  const { $ref, anyOf, oneOf } = schema
  if ($ref !== undefined) return sampleOf(options.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, options, depth)
  const [choice] = (anyOf ?? oneOf ?? []).filter(({ type }) => type !== 'null')
  if (choice !== undefined) return sampleOf(choice, options, depth)
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const sampler = samplers[[schema.type].flat()[0] ?? ''] ?? textOf
  return sampler(schema, options, depth)
}

function textOf({ format = '' }: BodySchema, { characters }: SampleOptions): string {
  return characters === undefined ? (formats[format] ?? 'demo-chat') : 'a'.repeat(characters)
}

function objectOf({ properties = {}, required = [] }: BodySchema, options: SampleOptions, depth: number): object {
  const names = options.everyField === true ? Object.keys(properties) : required
  return Object.fromEntries(names.map((name) => [name, sampleOf(properties[name] ?? {}, options, depth)]))
}

/** Lists in lists are short, so that a list grows no faster than it is asked to. */
function arrayOf({ items = {} }: BodySchema, options: SampleOptions, depth: number): readonly unknown[] {
  const item = sampleOf(items, { ...options, items: 1 }, depth)
  return Array.from({ length: Math.max(1, Math.floor(options.items ?? 1)) }, () => item)
}
