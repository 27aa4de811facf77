/**
 * From the declared sections of the configuration file to checked entities. Names are unique within
 * the file, and model names share one namespace with all aliases.
 */
import type { z } from 'zod'
import { isObject } from '#lib/json-value.ts'
import type {
  Declared,
  DeclaredAlias,
  DeclaredBudget,
  DeclaredCapabilities,
  DeclaredFailover,
  DeclaredModel,
  DeclaredProvider,
  DeclaredRules,
  DeclaredTarget,
  DeclaredTimeouts,
} from './declared.ts'
import {
  aliasSchema,
  compositeSchema,
  groupSchema,
  modelSchema,
  nestedModelSchema,
  providerSchema,
  userSchema,
} from './declared-schema.ts'
import { repeatedNames } from './declared-names.ts'
import { budgetSchema } from './money-forms.ts'
import { invalidReferences } from './declared-references.ts'
import { readEntry, type EntryReader } from './declared-entry.ts'
import type { Environment } from '../sources/environment.ts'
import type { Tree } from '../sources/file.ts'
import { interpolate, type InterpolationFault } from '../sources/interpolate.ts'
import type { Problem } from '../problem.ts'
import { declaredSections, interpolationProblem } from '../sources/raw.ts'

/** Reads the declared sections of a file's tree and returns every problem in them. */
export function readDeclared(
  file: string,
  tree: Tree,
  environment: Environment,
): { readonly declared: Declared; readonly problems: readonly Problem[] } {
  const written = Object.fromEntries(declaredSections.map((section) => [section, tree[section] ?? null]))
  const faults: InterpolationFault[] = []
  const sections = interpolate(written, '', environment, faults) as Record<(typeof declaredSections)[number], unknown>
  const reading: EntryReader = { file, written, problems: faults.map((fault) => interpolationProblem(fault, file)) }

  const providers = readList(reading, 'providers', sections.providers, providerSchema)
  const nested = nestedModels(reading, sections.providers)
  const models = [...nested, ...readList(reading, 'models', sections.models, modelSchema)]
  const composites = readList(reading, 'composites', sections.composites, compositeSchema)
  const declared: Declared = {
    providers: providers.map(({ path, value }) => providerOf(path, value)),
    models: [
      ...models.map(({ path, value }) => modelOf(path, value, plainTarget(value), ownOf(value))),
      ...composites.map(({ path, value }) =>
        modelOf(path, value, compositeTarget(value), { reasoning: null, prices: null, batch: 'local' }),
      ),
    ],
    groups: readList(reading, 'groups', sections.groups, groupSchema).map(({ path, value }) => ({
      path,
      ...value,
      members: value.members ?? null,
    })),
    users: readList(reading, 'users', sections.users, userSchema).map(({ path, value }) => ({
      path,
      ...value,
      password: value.password ?? null,
    })),
    aliases: readAliases(reading, sections.aliases),
    budgets: readList(reading, 'budgets', sections.budgets, budgetSchema).map(({ path, value }) =>
      budgetOf(path, value),
    ),
  }
  return {
    declared,
    problems: [...reading.problems, ...repeatedNames(file, declared), ...invalidReferences(file, declared)],
  }
}

/** The models inside providers; also inside those that have problems of their own, so that all are found at once. */
function nestedModels(reading: EntryReader, providers: unknown): Entry<z.output<typeof modelSchema>>[] {
  if (!Array.isArray(providers)) return []
  return providers.flatMap((provider: unknown, index) => {
    if (!isObject(provider)) return []
    const name = typeof provider['name'] === 'string' ? provider['name'] : ''
    const models = readList(reading, `providers[${index}].models`, provider['models'], nestedModelSchema)
    return models.map(({ path, value }) => ({ path, value: { ...value, provider: name } }))
  })
}

interface Entry<T> {
  readonly path: string
  readonly value: T
}

function readList<S extends z.ZodType>(
  reading: EntryReader,
  path: string,
  list: unknown,
  schema: S,
): Entry<z.output<S>>[] {
  if (list === null || list === undefined) return []
  if (!Array.isArray(list)) {
    reading.problems.push(
      sectionProblem(reading.file, path, 'expected a list', 'Write each entry after a dash: "- name: …".'),
    )
    return []
  }
  return list.flatMap((item: unknown, index) => {
    const itemPath = `${path}[${index}]`
    const value = readEntry(reading, itemPath, item, schema)
    return value === null ? [] : [{ path: itemPath, value }]
  })
}

function readAliases(reading: EntryReader, aliases: unknown): DeclaredAlias[] {
  if (aliases === null || aliases === undefined) return []
  if (!isObject(aliases)) {
    reading.problems.push(
      sectionProblem(reading.file, 'aliases', 'expected a mapping', 'Write "alias: name of a model" lines.'),
    )
    return []
  }
  return Object.entries(aliases).flatMap(([alias, model]) => {
    const path = `aliases.${alias}`
    const value = readEntry(reading, path, { alias, model }, aliasSchema)
    return value === null ? [] : [{ path, ...value }]
  })
}

function sectionProblem(file: string, path: string, expected: string, remedy: string): Problem {
  return { name: path, source: `${file}: ${path}`, value: null, expected, remedy }
}

function providerOf(path: string, provider: z.output<typeof providerSchema>): DeclaredProvider {
  const { name, kind, enabled, headers } = provider
  return {
    path,
    name,
    kind,
    baseUrl: provider.base_url,
    credential: provider.credential ?? null,
    headers,
    timeouts: timeoutsOf(provider.timeouts),
    options: provider.options,
    reasoning: provider.reasoning ?? null,
    maxConcurrent: provider.max_concurrent ?? null,
    servers: provider.servers ?? null,
    enabled,
  }
}

type WrittenModel = z.output<typeof modelSchema>
type WrittenComposite = z.output<typeof compositeSchema>

function modelOf(
  path: string,
  model: WrittenModel | WrittenComposite,
  target: DeclaredTarget,
  own: Pick<DeclaredModel, 'reasoning' | 'prices' | 'batch'>,
): DeclaredModel {
  const { name, aliases, groups, description, active } = model
  return {
    path,
    name,
    target,
    rules: rulesOf(model.rules),
    ...own,
    aliases,
    groups,
    description,
    active,
    contextLength: model.context_length ?? null,
    capabilities: capabilitiesOf(model.capabilities),
    inflightLimit: model.inflight_limit ?? null,
    maxConcurrent: model.max_concurrent ?? null,
    timeouts: timeoutsOf(model.timeouts),
  }
}

/** What only a plain model has. */
function ownOf({ reasoning, prices, batch }: WrittenModel): Pick<DeclaredModel, 'reasoning' | 'prices' | 'batch'> {
  return {
    batch,
    reasoning: reasoning ?? null,
    prices: prices?.map(({ valid_from: validFrom, ...price }) => ({ validFrom, ...price })) ?? null,
  }
}

function budgetOf(path: string, budget: z.output<typeof budgetSchema>): DeclaredBudget {
  const { time_zone: timeZone, name, ...fields } = budget
  return { path, ...fields, timeZone, name: budget.scope === 'user' ? name.toLowerCase() : name }
}

function plainTarget({ name, provider, upstream_name: upstreamName = name }: WrittenModel): DeclaredTarget {
  return { kind: 'plain', provider, upstreamName }
}

function compositeTarget({ strategy, components, failover }: WrittenComposite): DeclaredTarget {
  return { kind: 'composite', strategy, components, failover: failoverOf(failover) }
}

function failoverOf(written: WrittenComposite['failover']): DeclaredFailover {
  return {
    ...(written.statuses !== undefined && { statuses: written.statuses }),
    ...(written.max_attempts !== undefined && { maxAttempts: written.max_attempts }),
    ...(written.budget_seconds !== undefined && { budgetSeconds: written.budget_seconds }),
  }
}

function rulesOf({ realtime, batch }: WrittenModel['rules']): DeclaredRules {
  return { ...(realtime !== undefined && { realtime }), ...(batch !== undefined && { batch }) }
}

function timeoutsOf(written: z.output<typeof providerSchema>['timeouts']): DeclaredTimeouts {
  return {
    ...(written.connect_seconds !== undefined && { connectSeconds: written.connect_seconds }),
    ...(written.first_token_seconds !== undefined && { firstTokenSeconds: written.first_token_seconds }),
    ...(written.idle_seconds !== undefined && { idleSeconds: written.idle_seconds }),
    ...(written.total_seconds !== undefined && { totalSeconds: written.total_seconds }),
  }
}

function capabilitiesOf(written: z.output<typeof modelSchema>['capabilities']): DeclaredCapabilities {
  const { endpoints, input, tools, reasoning, json_schema: jsonSchema } = written
  return {
    ...(endpoints !== undefined && { endpoints }),
    ...(input !== undefined && { input }),
    ...(tools !== undefined && { tools }),
    ...(jsonSchema !== undefined && { jsonSchema }),
    ...(reasoning !== undefined && { reasoning }),
  }
}
