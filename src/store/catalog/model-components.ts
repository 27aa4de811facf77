/** The components of composite models. They change with their model, in its transaction. */
import { sql, type RawBuilder, type Transaction } from 'kysely'
import type { ComponentRecord } from '#catalog/records.ts'
import type { Connection } from '../database.ts'
import { Missing, NotPlain } from '../errors.ts'
import { flag, type Tables } from '../schema.ts'

/** A column of `models`: its components as JSON, in the order in which they were written. */
export function componentsColumn({ engine }: Connection): RawBuilder<string> {
  const fields = sql`'modelId', component_id, 'weight', weight, 'priority', priority, 'enabled', enabled`
  const list =
    engine === 'sqlite'
      ? sql`json_group_array(json_object(${fields}) order by position)`
      : sql`coalesce(json_agg(json_build_object(${fields}) order by position)::text, '[]')`
  return sql<string>`(select ${list} from model_components where model_id = models.id)`
}

/** What `componentsColumn` has read. */
export function componentsOf(column: string): readonly ComponentRecord[] {
  const rows = JSON.parse(column) as readonly (Omit<ComponentRecord, 'enabled'> & { readonly enabled: 0 | 1 })[]
  return rows.map((row) => ({ ...row, enabled: row.enabled === 1 }))
}

/**
 * Makes these the components of the model, whose own row is locked and says already what it is.
 * Throws Missing, and NotPlain for a component that is a composite or a composite that is a component.
 */
export async function replaceComponents(
  connection: Connection,
  trx: Transaction<Tables>,
  id: string,
  components: readonly ComponentRecord[],
): Promise<void> {
  await trx.deleteFrom('model_components').where('model_id', '=', id).execute()
  if (components.length === 0) return
  await requirePlain(connection, trx, components)
  const parent = await trx
    .selectFrom('model_components')
    .select('model_id')
    .where('component_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  if (parent !== undefined) throw new NotPlain('A model that is a component of a composite cannot become a composite.')
  const rows = components.map((component, position) => ({
    model_id: id,
    component_id: component.modelId,
    position,
    weight: component.weight,
    priority: component.priority,
    enabled: flag(component.enabled),
  }))
  await trx.insertInto('model_components').values(rows).execute()
}

/** Keeps the components plain until the transaction ends: becoming a composite changes a model's row. */
async function requirePlain(
  { engine }: Connection,
  trx: Transaction<Tables>,
  components: readonly ComponentRecord[],
): Promise<void> {
  const ids = sql.join(components.map(({ modelId }) => modelId))
  const lock = engine === 'postgres' ? sql`for share` : sql``
  // In the order of their ids, so that two composites of the same models wait for each other in turn.
  const { rows } = await sql<{ id: string; strategy: string | null }>`
    select id, strategy from models where id in (${ids}) order by id ${lock}
  `.execute(trx)
  if (rows.length < new Set(components.map(({ modelId }) => modelId)).size) throw new Missing('component')
  if (rows.some(({ strategy }) => strategy !== null))
    throw new NotPlain('A component must be a plain model: a composite cannot stand in a composite.')
}
