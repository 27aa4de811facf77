/**
 * Models with their names, aliases, groups and components. A model and all of these change in one transaction.
 * Names and aliases of all models are one namespace, kept by the primary key of model_names.
 */
import { sql, type Kysely, type RawBuilder, type Selectable, type Transaction } from 'kysely'
import type {
  ComponentRecord,
  FailoverPolicy,
  ModelCapabilities,
  ModelRecord,
  ModelTarget,
  ReasoningConfig,
  Strategy,
  Timeouts,
  TrafficRules,
} from '#catalog/records.ts'
import { checkedChange, checkRow, type Check } from '../checked-change.ts'
import { lockRow, type Database } from '../database.ts'
import { InUse, Missing, NameTaken, refusing, violationOf } from '../errors.ts'
import { componentsColumn, componentsOf, replaceComponents } from './model-components.ts'
import { behindCursor, creationPlace, pageOf, type Page, type PageRequest } from '../page.ts'
import { flag, flagIfSet, type Columns, type ModelsTable, type Tables } from '../schema.ts'

export type ModelPatch = Partial<Omit<ModelRecord, 'id' | 'createdAt'>>

export interface ModelQuery extends PageRequest {
  /** Only the models of this provider. */
  readonly providerId?: string | undefined
}

/** Records list aliases and group ids in the order of their characters. */
export interface ModelStore {
  /** A page of models in the order of creation. Throws InvalidCursor. */
  list(query: ModelQuery): Promise<Page<ModelRecord>>
  /** Every model, in the order of creation, as of one moment. */
  all(): Promise<readonly ModelRecord[]>
  get(id: string): Promise<ModelRecord | null>
  /** The model with this name or alias. */
  byName(name: string): Promise<ModelRecord | null>
  /**
   * Throws NameTaken with the name or alias that clashes, Missing for the provider, a group or a
   * component, and NotPlain for a composite in a composite.
   */
  insert(model: ModelRecord): Promise<void>
  /** The model as changed, or null when there is none. What is in the patch is replaced whole. Throws like `insert`. */
  update(id: string, patch: ModelPatch, check?: Check<ModelRecord>): Promise<ModelRecord | null>
  /** False when there is no such model. Throws InUse while it is a component of a composite. */
  delete(id: string, check?: Check<ModelRecord>): Promise<boolean>
}

/** The models of this database. */
export function modelStore(database: Database): ModelStore {
  const { kysely } = database
  const some = async (condition: RawBuilder<unknown>, on = kysely): Promise<readonly ModelRow[]> => {
    const result = await sql<ModelRow>`${selectModels(database)} ${condition}`.execute(on)
    return result.rows
  }
  const one = async (condition: RawBuilder<unknown>, on = kysely): Promise<ModelRecord | null> => {
    const [row] = await some(condition, on)
    return row === undefined ? null : modelOf(row)
  }
  const row = (id: string) => ({
    table: 'models' as const,
    id,
    read: (on: Kysely<Tables>) => one(sql`where models.id = ${id}`, on),
  })
  return {
    async list(query) {
      const ofProvider = query.providerId === undefined ? sql`` : sql`and models.provider_id = ${query.providerId}`
      const rows = await some(sql`
        where ${behindCursor(query, 'models')} ${ofProvider}
        order by models.created_at, models.id limit ${query.limit + 1}
      `)
      return pageOf(rows, query.limit, { item: modelOf, place: creationPlace })
    },
    async all() {
      const rows = await some(sql`order by models.created_at, models.id`)
      return rows.map(modelOf)
    },
    get: (id) => one(sql`where models.id = ${id}`),
    byName: (name) => one(sql`where models.id = (select model_id from model_names where name = ${name})`),
    async insert(model) {
      await refusingNames(database, model, () => insertModel(database, model))
    },
    async update(id, patch, check) {
      const { read } = row(id)
      const current = await read(kysely)
      if (current === null) return null
      await refusingNames(database, { ...current, ...patch }, () =>
        kysely.transaction().execute(async (trx) => {
          // Two changes of one model at a time would both delete its names and then clash inserting them.
          await lockRow(database, trx, { table: 'models', id })
          await checkRow(database, trx, check, row(id))
          await updateModel(database, trx, id, patch)
        }),
      )
      return read(kysely)
    },
    async delete(id, check) {
      const write = (on: Kysely<Tables>) => on.deleteFrom('models').where('id', '=', id).executeTakeFirst()
      const result = await refusing({ reference: new InUse('model', 'composite models') }, () =>
        checkedChange(database, check, { ...row(id), write }),
      )
      return result.numDeletedRows > 0n
    },
  }
}

interface ModelRow extends Selectable<ModelsTable> {
  readonly name: string
  readonly aliases: string
  readonly group_ids: string
  readonly components: string
}

/**
 * One statement, so that a model is never seen with the names of before and the groups of after a
 * change. The sub-selects read model_names by its index on model_id, the others by their keys.
 */
function selectModels(database: Database): RawBuilder<unknown> {
  const { engine } = database
  const listOf = (column: string): RawBuilder<unknown> =>
    engine === 'sqlite'
      ? sql`json_group_array(${sql.ref(column)})`
      : sql`coalesce(json_agg(${sql.ref(column)})::text, '[]')`
  return sql`
    select models.*,
      (select name from model_names where model_id = models.id and alias = 0) as name,
      (select ${listOf('name')} from model_names where model_id = models.id and alias = 1) as aliases,
      (select ${listOf('group_id')} from model_groups where model_id = models.id) as group_ids,
      ${componentsColumn(database)} as components
    from models
  `
}

async function insertModel(database: Database, model: ModelRecord): Promise<void> {
  await database.kysely.transaction().execute(async (trx) => {
    await trx.insertInto('models').values(rowOf(model)).execute()
    await insertNames(trx, model)
    await insertGroups(trx, model.id, model.groupIds)
    await replaceComponents(database, trx, model.id, componentsIn(model.target))
  })
}

async function updateModel(database: Database, trx: Transaction<Tables>, id: string, patch: ModelPatch): Promise<void> {
  await trx
    .updateTable('models')
    .set({ id, ...columnsOf(patch) })
    .where('id', '=', id)
    .execute()
  if (patch.name !== undefined || patch.aliases !== undefined) await replaceNames(trx, id, patch)
  if (patch.groupIds !== undefined) {
    await trx.deleteFrom('model_groups').where('model_id', '=', id).execute()
    await insertGroups(trx, id, patch.groupIds)
  }
  if (patch.target !== undefined) await replaceComponents(database, trx, id, componentsIn(patch.target))
}

/** Deletes and inserts instead of updating, so that the name and an alias can change places. */
async function replaceNames(trx: Transaction<Tables>, id: string, patch: ModelPatch): Promise<void> {
  const rows = await trx.deleteFrom('model_names').where('model_id', '=', id).returning(['name', 'alias']).execute()
  const name = patch.name ?? rows.find((row) => row.alias === 0)?.name
  // No row: the model was deleted after it was read, and the caller finds that out by reading it again.
  if (name === undefined) return
  const aliases = patch.aliases ?? rows.filter((row) => row.alias === 1).map((row) => row.name)
  await insertNames(trx, { id, name, aliases })
}

type Names = Pick<ModelRecord, 'id' | 'name' | 'aliases'>

async function insertNames(trx: Transaction<Tables>, { id, name, aliases }: Names): Promise<void> {
  const rows = aliases.map((alias) => ({ name: alias, model_id: id, alias: flag(true) }))
  await trx
    .insertInto('model_names')
    .values([{ name, model_id: id, alias: flag(false) }, ...rows])
    .execute()
}

async function insertGroups(trx: Transaction<Tables>, id: string, groupIds: readonly string[]): Promise<void> {
  const rows = [...new Set(groupIds)].map((groupId) => ({ model_id: id, group_id: groupId }))
  if (rows.length > 0) await trx.insertInto('model_groups').values(rows).execute()
}

/** Runs a write of these names; a clash becomes NameTaken with the name that another model has, or that comes twice. */
async function refusingNames({ kysely }: Database, names: Names, write: () => Promise<void>): Promise<void> {
  const wanted = [names.name, ...names.aliases]
  const twice = wanted.find((name, index) => wanted.indexOf(name) !== index)
  if (twice !== undefined) throw new NameTaken(twice)
  try {
    await refusing({ reference: new Missing('provider or group') }, write)
  } catch (thrown) {
    if (violationOf(thrown) !== 'primary') throw thrown
    // The engines do not both tell which row clashed, and PostgreSQL answers only after the rollback.
    const clash = await kysely
      .selectFrom('model_names')
      .select('name')
      .where('name', 'in', wanted)
      .where('model_id', '<>', names.id)
      .executeTakeFirst()
    throw clash === undefined ? thrown : new NameTaken(clash.name)
  }
}

function rowOf(model: ModelRecord): ModelsTable {
  return {
    id: model.id,
    ...targetColumns(model.target),
    rules: JSON.stringify(model.rules),
    reasoning: model.reasoning && JSON.stringify(model.reasoning),
    description: model.description,
    active: flag(model.active),
    context_length: model.contextLength,
    capabilities: JSON.stringify(model.capabilities),
    inflight_limit: model.inflightLimit,
    max_concurrent: model.maxConcurrent,
    batch: model.batch,
    timeouts: JSON.stringify(model.timeouts),
    declared: flag(model.declared),
    created_at: model.createdAt,
  }
}

function columnsOf(patch: ModelPatch): Columns<ModelsTable> {
  return {
    ...(patch.target && targetColumns(patch.target)),
    rules: patch.rules && JSON.stringify(patch.rules),
    reasoning: patch.reasoning && JSON.stringify(patch.reasoning),
    description: patch.description,
    active: flagIfSet(patch.active),
    context_length: patch.contextLength,
    capabilities: patch.capabilities && JSON.stringify(patch.capabilities),
    inflight_limit: patch.inflightLimit,
    max_concurrent: patch.maxConcurrent,
    batch: patch.batch,
    timeouts: patch.timeouts && JSON.stringify(patch.timeouts),
    declared: flagIfSet(patch.declared),
  }
}

function modelOf(row: ModelRow): ModelRecord {
  return {
    id: row.id,
    name: row.name,
    aliases: (JSON.parse(row.aliases) as string[]).sort(),
    target: targetOf(row),
    rules: JSON.parse(row.rules) as TrafficRules,
    reasoning: row.reasoning === null ? null : (JSON.parse(row.reasoning) as ReasoningConfig),
    description: row.description,
    active: row.active === 1,
    contextLength: row.context_length,
    capabilities: JSON.parse(row.capabilities) as ModelCapabilities,
    groupIds: (JSON.parse(row.group_ids) as string[]).sort(),
    inflightLimit: row.inflight_limit,
    maxConcurrent: row.max_concurrent,
    batch: row.batch === 'native' ? 'native' : 'local',
    timeouts: JSON.parse(row.timeouts) as Timeouts,
    declared: row.declared === 1,
    createdAt: row.created_at,
  }
}

type TargetColumns = Pick<ModelsTable, 'provider_id' | 'upstream_name' | 'strategy' | 'failover'>

function targetColumns(target: ModelTarget): TargetColumns {
  if (target.kind === 'composite')
    return {
      provider_id: null,
      upstream_name: null,
      strategy: target.strategy,
      failover: JSON.stringify(target.failover),
    }
  return { provider_id: target.providerId, upstream_name: target.upstreamName, strategy: null, failover: '{}' }
}

function componentsIn(target: ModelTarget): readonly ComponentRecord[] {
  return target.kind === 'composite' ? target.components : []
}

function targetOf(row: ModelRow): ModelTarget {
  const { provider_id: providerId, upstream_name: upstreamName } = row
  if (providerId !== null && upstreamName !== null) return { kind: 'plain', providerId, upstreamName }
  return {
    kind: 'composite',
    // The schema lets no model be without both a provider and a strategy.
    strategy: row.strategy as Strategy,
    components: componentsOf(row.components),
    failover: JSON.parse(row.failover) as FailoverPolicy,
  }
}
