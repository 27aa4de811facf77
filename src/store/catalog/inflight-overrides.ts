/** Accounts' own in-flight limits for single models. */
import type { InflightOverride } from '#catalog/records.ts'
import type { Database } from '../database.ts'
import { Missing, refusing } from '../errors.ts'

export interface InflightOverrideStore {
  /** Every override, by model and user. */
  all(): Promise<readonly InflightOverride[]>
  /** The overrides for one model, by user. */
  listOfModel(modelId: string): Promise<readonly InflightOverride[]>
  /** Sets the limit of this user for this model, replacing an earlier one. Throws Missing. */
  set(override: InflightOverride): Promise<void>
  /** False when there was none. */
  delete(userId: string, modelId: string): Promise<boolean>
}

const columns = ['user_id as userId', 'model_id as modelId', 'inflight_limit as inflightLimit'] as const

/** The overrides of this database. */
export function inflightOverrideStore({ kysely }: Database): InflightOverrideStore {
  const select = kysely.selectFrom('inflight_overrides').select(columns).orderBy('model_id').orderBy('user_id')
  return {
    all: () => select.execute(),
    listOfModel: (modelId) => select.where('model_id', '=', modelId).execute(),
    async set({ userId, modelId, inflightLimit }) {
      await refusing({ reference: new Missing('user or model') }, () =>
        kysely
          .insertInto('inflight_overrides')
          .values({ user_id: userId, model_id: modelId, inflight_limit: inflightLimit })
          .onConflict((conflict) =>
            conflict.columns(['user_id', 'model_id']).doUpdateSet({ inflight_limit: inflightLimit }),
          )
          .execute(),
      )
    },
    async delete(userId, modelId) {
      const result = await kysely
        .deleteFrom('inflight_overrides')
        .where('user_id', '=', userId)
        .where('model_id', '=', modelId)
        .executeTakeFirst()
      return result.numDeletedRows > 0n
    },
  }
}
