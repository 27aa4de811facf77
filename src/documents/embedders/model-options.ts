/**
 * How a model of the gateway is asked for vectors: what an import says, else what the table of known
 * models says. Resolved once, when a document is accepted, and kept in its record: its passages and all
 * questions about them are embedded alike, also after the table has changed.
 */
import { z } from '#lib/schema.ts'
import type { Component } from '#store/documents/document-store.ts'
import type { NamedModel } from '../models.ts'
import {
  knownEmbeddingModel,
  taskFields,
  type Dimensions,
  type KnownEmbeddingModel,
  type Shortening,
} from './known-embedding-models.ts'

const prefix = z.string().max(2000)
const fields = z.partialRecord(z.enum(taskFields), z.string().min(1).max(100))

/** The options of an import, and what each has to be. */
const optionRules = {
  dimensions: [z.int().min(1).max(16_384), 'expected a whole number from 1 to 16384'],
  query_prefix: [prefix, 'expected a text of at most 2000 characters'],
  passage_prefix: [prefix, 'expected a text of at most 2000 characters'],
  query_fields: [fields, `expected an object with texts for ${taskFields.join(', ')}`],
  passage_fields: [fields, `expected an object with texts for ${taskFields.join(', ')}`],
  max_tokens: [z.int().min(1).max(10_000_000), 'expected a whole number from 1 to 10000000'],
} as const

export const modelOptionNames = Object.keys(optionRules)

const shortenings = ['dimensions', 'output_dimension', 'cut'] as const satisfies readonly Shortening[]

/** As it stands in a record: what is left out is not done. */
const modelOptions = z.object({
  dimensions: z.int().optional(),
  shortened_by: z.enum(shortenings).optional(),
  query_prefix: z.string().optional(),
  passage_prefix: z.string().optional(),
  query_fields: fields.optional(),
  passage_fields: fields.optional(),
  max_tokens: z.int().optional(),
})

export type ModelOptions = z.output<typeof modelOptions>

export type ModelOptionsResolution =
  | { readonly kind: 'resolved'; readonly options: ModelOptions }
  | { readonly kind: 'refused'; readonly option: string; readonly message: string }

/** What the record of a document says; a document of before the table has nothing but, perhaps, dimensions. */
export function modelOptionsOf(component: Component): ModelOptions {
  return modelOptions.parse(component)
}

/** The options for the record. Refuses what has the wrong form, and lengths that a known model was not trained for. */
export function resolveModelOptions(
  model: Pick<NamedModel, 'name' | 'upstreams'>,
  asked: Readonly<Record<string, unknown>>,
): ModelOptionsResolution {
  for (const [option, [schema, message]] of Object.entries(optionRules))
    if (asked[option] !== undefined && !schema.safeParse(asked[option]).success)
      return { kind: 'refused', option, message }
  const given = modelOptions.omit({ shortened_by: true }).parse(asked)
  const known = knownOf(model)
  const { dimensions } = given
  if (dimensions !== undefined && known?.dimensions !== undefined && !allows(known.dimensions, dimensions))
    return { kind: 'refused', option: 'dimensions', message: lengthsOf(known.family, known.dimensions) }
  const shortening = known?.shortenedBy ?? 'dimensions'
  const merged: ModelOptions = {
    ...optionsOfRow(known, model.upstreams),
    ...given,
    ...(dimensions !== undefined && shortening !== 'dimensions' && { shortened_by: shortening }),
  }
  return { kind: 'resolved', options: withoutEmpty(merged) }
}

/** The row that fits all upstreams, which are asked for vectors of one space; else that of the model's own name. */
function knownOf({ name, upstreams }: Pick<NamedModel, 'name' | 'upstreams'>): KnownEmbeddingModel | null {
  const [row = null, ...others] = new Set(upstreams.map((upstream) => knownEmbeddingModel(upstream.name)))
  return others.length === 0 ? (row ?? knownEmbeddingModel(name)) : null
}

function optionsOfRow(known: KnownEmbeddingModel | null, upstreams: NamedModel['upstreams']): ModelOptions {
  if (known === null) return {}
  const { fieldsFor } = known
  const understood = fieldsFor === undefined || upstreams.every(({ kind }) => fieldsFor.includes(kind))
  return {
    query_prefix: known.queryPrefix,
    passage_prefix: known.passagePrefix,
    ...(understood && { query_fields: known.queryFields, passage_fields: known.passageFields }),
    max_tokens: known.maxTokens,
  }
}

/** An empty text and no fields are the same as nothing, and belong to the same space. */
function withoutEmpty(options: ModelOptions): ModelOptions {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)
  return Object.fromEntries(Object.entries(options).filter(([, value]) => !isEmpty(value)))
}

function allows(dimensions: Dimensions, asked: number): boolean {
  if (dimensions === 'fixed') return false
  return 'min' in dimensions ? asked >= dimensions.min && asked <= dimensions.max : dimensions.includes(asked)
}

function lengthsOf(family: string, dimensions: Dimensions): string {
  if (dimensions === 'fixed') return `leave it out: vectors of ${family} have one length`
  const lengths = 'min' in dimensions ? `from ${dimensions.min} to ${dimensions.max}` : `of ${dimensions.join(', ')}`
  return `${family} was trained for lengths ${lengths}`
}
