/** A model as the admin API shows it and takes it. */
import { instant, instantOf } from '#http/page.ts'
import { z } from '#lib/schema.ts'
import type { ModelRecord } from '#catalog/records.ts'
import { ApiError } from '#errors/api-error.ts'
import { everyoneGroupId } from '#identity/records.ts'
import type { ModelPatch } from '#store/catalog/models.ts'
import type { Admin } from '../admin.ts'
import { etag, versionOf } from '../record-version.ts'
import type { ModelReferences, NewModelReferences } from './model-references.ts'
import {
  composite,
  compositeAnswer,
  compositeOnWire,
  reasoning,
  reasoningAnswer,
  reasoningOnWire,
  rules,
  rulesOnWire,
} from './routing-fields.ts'
import {
  capabilities,
  capabilitiesFromWire,
  capabilitiesOnWire,
  id,
  name,
  text,
  timeouts,
  timeoutsFromWire,
  timeoutsOnWire,
} from '../fields.ts'

const batchMode = z
  .enum(['local', 'native'])
  .describe(
    'Where lines of batches run: here, or as a batch of the provider’s own where it has them, at its batch price',
  )

export const modelAnswer = z
  .strictObject({
    id: z.string(),
    name: z.string().describe('What callers ask for'),
    aliases: z.array(z.string()),
    provider_id: z.string().nullable().describe('Null for a composite'),
    upstream_name: z.string().nullable().describe("The provider's own name of the model; null for a composite"),
    composite: compositeAnswer.nullable().describe('Null for a plain model'),
    rules,
    reasoning: reasoningAnswer.nullable().describe("Null = as its provider's; always null for a composite"),
    description: z.string(),
    active: z.boolean(),
    context_length: z.int().nullable().describe('Tokens'),
    capabilities,
    groups: z.array(z.string()).describe('Ids of the groups whose members may call it'),
    inflight_limit: z.int().nullable().describe('Requests in flight per account; null = the setting'),
    max_concurrent: z
      .int()
      .nullable()
      .describe('Requests under way at its provider at once, over all accounts; null = any number'),
    batch: batchMode,
    timeouts,
    declared: z.boolean().describe('Read-only here, because the configuration file has it'),
    created_at: instant,
    etag,
  })
  .meta({ id: 'ModelRecord' })

const aliases = z.array(name).max(100)
export const groupIds = z.array(id).max(1000)
export const contextLengthMax = 1_000_000_000
const contextLength = z.int().min(1).max(contextLengthMax).nullable()
export const inflightLimit = z.int().min(1).max(1_000_000)
const maxConcurrent = inflightLimit
  .nullable()
  .describe('Requests under way at its provider at once, over all accounts and processes; null = any number')

export const modelCreation = z
  .strictObject({
    name: name.describe('Shares one namespace with all aliases'),
    provider_id: id.nullable().default(null).describe('The provider that serves it, unless it is a composite'),
    upstream_name: name.nullable().default(null).describe("The provider's own name of the model; `name` when left out"),
    composite: composite.nullable().default(null),
    rules: rules.default({}),
    reasoning: reasoning.nullable().default(null).describe("null = as its provider's"),
    aliases: aliases.default([]),
    groups: groupIds.default([everyoneGroupId]).describe('Ids of the groups whose members may call it'),
    description: text.default(''),
    active: z.boolean().default(true),
    context_length: contextLength.default(null),
    capabilities: capabilities.default({}),
    inflight_limit: inflightLimit.nullable().default(null),
    max_concurrent: maxConcurrent.default(null),
    batch: batchMode.default('local'),
    timeouts: timeouts.default({}),
  })
  .meta({ id: 'ModelCreation' })

export const modelChange = z
  .strictObject({
    name: name.optional(),
    provider_id: id.nullable().optional().describe('Makes a plain model of a composite'),
    upstream_name: name.nullable().optional(),
    composite: composite.nullable().optional().describe('Replaces the provider or the components'),
    rules: rules.optional().describe('Replaces all rules'),
    reasoning: reasoning.nullable().optional(),
    aliases: aliases.optional().describe('Replaces the list'),
    groups: groupIds.optional().describe('Replaces the list'),
    description: text.optional(),
    active: z.boolean().optional(),
    context_length: contextLength.optional(),
    capabilities: capabilities.optional(),
    inflight_limit: inflightLimit.nullable().optional(),
    max_concurrent: maxConcurrent.optional(),
    batch: batchMode.optional(),
    timeouts: timeouts.optional(),
  })
  .meta({ id: 'ModelChange' })

export function modelOnWire(record: ModelRecord): z.input<typeof modelAnswer> {
  return {
    id: record.id,
    name: record.name,
    aliases: [...record.aliases],
    provider_id: record.target.kind === 'plain' ? record.target.providerId : null,
    upstream_name: record.target.kind === 'plain' ? record.target.upstreamName : null,
    composite: compositeOnWire(record.target),
    rules: rulesOnWire(record.rules),
    reasoning: reasoningOnWire(record.reasoning),
    description: record.description,
    active: record.active,
    context_length: record.contextLength,
    capabilities: capabilitiesOnWire(record.capabilities),
    groups: [...record.groupIds],
    inflight_limit: record.inflightLimit,
    max_concurrent: record.maxConcurrent,
    batch: record.batch,
    timeouts: timeoutsOnWire(record.timeouts),
    declared: record.declared,
    created_at: instantOf(record.createdAt),
    etag: modelVersion(record),
  }
}

export function modelVersion({ id: _id, declared: _declared, createdAt: _at, ...fields }: ModelRecord): string {
  return versionOf(fields)
}

/** A new record with these fields and references. */
export function newModel(
  body: z.output<typeof modelCreation>,
  { target, rules: ownRules = {} }: NewModelReferences,
  createdAt: number,
): ModelRecord {
  return {
    id: crypto.randomUUID(),
    name: body.name,
    aliases: body.aliases,
    target,
    rules: ownRules,
    reasoning: body.reasoning,
    description: body.description,
    active: body.active,
    contextLength: body.context_length,
    capabilities: capabilitiesFromWire(body.capabilities),
    groupIds: [...new Set(body.groups)],
    inflightLimit: body.inflight_limit,
    maxConcurrent: body.max_concurrent,
    batch: body.batch,
    timeouts: timeoutsFromWire(body.timeouts),
    declared: false,
    createdAt,
  }
}

/** The fields that were sent, as the store takes them. */
export function modelPatch(body: z.output<typeof modelChange>, references: ModelReferences): ModelPatch {
  const renamed = {
    name: body.name,
    aliases: body.aliases,
    reasoning: body.reasoning,
    ...references,
    description: body.description,
    active: body.active,
    contextLength: body.context_length,
    capabilities: body.capabilities && capabilitiesFromWire(body.capabilities),
    groupIds: body.groups && [...new Set(body.groups)],
    inflightLimit: body.inflight_limit,
    maxConcurrent: body.max_concurrent,
    batch: body.batch,
    timeouts: body.timeouts && timeoutsFromWire(body.timeouts),
  }
  return Object.fromEntries(Object.entries(renamed).filter(([, value]) => value !== undefined)) as ModelPatch
}

/** Answers 422 with the place of a group that does not exist. */
export async function requireGroups({ store }: Admin, groups: readonly string[] = []): Promise<void> {
  if (groups.length === 0) return
  const known = new Set((await store.groups.all()).map((group) => group.id))
  const unknown = groups.findIndex((group) => !known.has(group))
  if (unknown < 0) return
  const param = `groups.${unknown}`
  throw new ApiError('validation_failed', { param, message: `"${param}": there is no group with this id.` })
}
