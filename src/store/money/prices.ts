/** Prices of models. A price is never changed or deleted, because usage records name it: another one replaces it. */
import type { Selectable, Transaction } from 'kysely'
import type { PriceRecord, PriceSource, PriceTier, Rates } from '#pricing/price.ts'
import type { Database } from '../database.ts'
import type { PricesTable, Tables } from '../schema.ts'

export interface PriceStore {
  /** Every price that is not replaced. */
  current(): Promise<readonly PriceRecord[]>
  /** Every price that a model ever had, the newest first. */
  history(modelId: string): Promise<readonly PriceRecord[]>
  /** Adds a price that people set; one of the same model, source and moment is replaced. */
  set(price: PriceRecord): Promise<void>
  /**
   * Makes these the prices of the model from the catalogue, and returns whether that changed anything. Those that are
   * there already stay, so several processes may do it at once.
   */
  setCatalogue(modelId: string, prices: readonly PriceRecord[], now: number): Promise<boolean>
  /**
   * Makes these the prices of the model from the configuration file, and returns whether that changed anything. Prices
   * that people set are replaced.
   */
  setDeclared(modelId: string, prices: readonly PriceRecord[], now: number): Promise<boolean>
  /** The prices of the model from the configuration file count as set by people from now on. */
  releaseDeclared(modelId: string): Promise<void>
  /** False when the model has no such price, or it was replaced before. */
  remove(modelId: string, id: string, now: number): Promise<boolean>
}

/** The prices of this database. */
export function priceStore({ kysely }: Database): PriceStore {
  return {
    async current() {
      const rows = await kysely
        .selectFrom('prices')
        .selectAll()
        .where('replaced_at', 'is', null)
        .orderBy('id')
        .execute()
      return rows.map(priceOf)
    },
    async history(modelId) {
      const rows = await kysely
        .selectFrom('prices')
        .selectAll()
        .where('model_id', '=', modelId)
        .orderBy('created_at', 'desc')
        .orderBy('valid_from', 'desc')
        .orderBy('id')
        .execute()
      return rows.map(priceOf)
    },
    set: (price) =>
      kysely.transaction().execute(async (trx) => {
        await trx
          .updateTable('prices')
          .set({ replaced_at: price.createdAt })
          .where('model_id', '=', price.modelId)
          .where('source', '=', price.source)
          .where('valid_from', '=', price.validFrom)
          .where('replaced_at', 'is', null)
          .execute()
        await trx.insertInto('prices').values(rowOf(price)).execute()
      }),
    setCatalogue: (modelId, prices, now) =>
      kysely.transaction().execute((trx) => replaceAll(trx, { modelId, sources: ['catalogue'], prices, now })),
    setDeclared: (modelId, prices, now) =>
      kysely.transaction().execute((trx) => replaceAll(trx, { modelId, sources: ['manual', 'declared'], prices, now })),
    async releaseDeclared(modelId) {
      await kysely
        .updateTable('prices')
        .set({ source: 'manual' })
        .where('model_id', '=', modelId)
        .where('source', '=', 'declared')
        .execute()
    },
    async remove(modelId, id, now) {
      const { numUpdatedRows } = await kysely
        .updateTable('prices')
        .set({ replaced_at: now })
        .where('model_id', '=', modelId)
        .where('id', '=', id)
        .where('replaced_at', 'is', null)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
  }
}

interface Replacement {
  readonly modelId: string
  /** Prices from these are replaced, unless they are among the new ones. */
  readonly sources: readonly PriceSource[]
  readonly prices: readonly PriceRecord[]
  readonly now: number
}

async function replaceAll(trx: Transaction<Tables>, { modelId, sources, prices, now }: Replacement): Promise<boolean> {
  const ids = prices.map(({ id }) => id)
  const replaced = await trx
    .updateTable('prices')
    .set({ replaced_at: now })
    .where('model_id', '=', modelId)
    .where('source', 'in', sources)
    .where('replaced_at', 'is', null)
    .$if(ids.length > 0, (query) => query.where('id', 'not in', ids))
    .executeTakeFirst()
  let changed = Number(replaced.numUpdatedRows)
  for (const price of prices) {
    const { numInsertedOrUpdatedRows = 0n } = await trx
      .insertInto('prices')
      .values(rowOf(price))
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet({ replaced_at: null, source: price.source })
          .where((eb) => eb.or([eb('prices.replaced_at', 'is not', null), eb('prices.source', '<>', price.source)])),
      )
      .executeTakeFirst()
    changed += Number(numInsertedOrUpdatedRows)
  }
  return changed > 0
}

function rowOf(price: PriceRecord): Selectable<PricesTable> {
  return {
    id: price.id,
    model_id: price.modelId,
    source: price.source,
    upstream: price.upstream,
    valid_from: price.validFrom,
    rates: JSON.stringify(price.rates),
    tiers: JSON.stringify(price.tiers),
    note: price.note,
    created_at: price.createdAt,
    replaced_at: price.replacedAt,
  }
}

function priceOf(row: Selectable<PricesTable>): PriceRecord {
  return {
    id: row.id,
    modelId: row.model_id,
    source: row.source as PriceSource,
    upstream: row.upstream,
    validFrom: row.valid_from,
    rates: JSON.parse(row.rates) as Rates,
    tiers: JSON.parse(row.tiers) as PriceTier[],
    note: row.note,
    createdAt: row.created_at,
    replacedAt: row.replaced_at,
  }
}
