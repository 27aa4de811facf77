/**
 * How many bytes of kept responses and conversations each account has, and the removal of the oldest when they become
 * too many. The sum is maintained with each write, because adding it up would cost more the more there is.
 */
import type { Transaction } from 'kysely'
import type { Tables } from '../schema.ts'

/** Removed at most by one write: a lowered limit is reached after several. */
const removalsMax = 50

interface Sized {
  readonly id: string
  readonly bytes: number
}

/** Adds to the account's sum; returns the new one. The account's writes wait for each other here. */
export async function addBytes(trx: Transaction<Tables>, userId: string, bytes: number): Promise<number> {
  const row = await trx
    .insertInto('kept_bytes')
    .values({ user_id: userId, bytes })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet((before) => ({ bytes: before('kept_bytes.bytes', '+', bytes) })),
    )
    .returning('bytes')
    .executeTakeFirstOrThrow()
  return row.bytes
}

/**
 * Adds to the account's sum, and removes what the account has not used for the longest time while it is over the
 * limit: responses first, then conversations; never what is being made, and never `kept`.
 */
export async function addWithinLimit(
  trx: Transaction<Tables>,
  userId: string,
  bytes: number,
  { bytesMax, kept }: { readonly bytesMax: number; readonly kept: string },
): Promise<void> {
  const over = (await addBytes(trx, userId, bytes)) - bytesMax
  if (over <= 0) return
  const responses = await trx
    .selectFrom('kept_responses')
    .select(['id', 'bytes'])
    .where('user_id', '=', userId)
    .where('id', '!=', kept)
    .where('lease_until', 'is', null)
    .orderBy('used_at')
    .limit(removalsMax)
    .execute()
  const first = enough(responses, over)
  await removeResponses(trx, first.ids)
  const conversations = await trx
    .selectFrom('conversations')
    .select(['id', 'bytes'])
    .where('user_id', '=', userId)
    .where('id', '!=', kept)
    .orderBy('used_at')
    .limit(removalsMax)
    .execute()
  await removeConversations(trx, enough(conversations, over - first.bytes).ids)
}

/** Removes these responses with their texts and bytes, as far as nobody else does at this moment; returns how many. */
export async function removeResponses(trx: Transaction<Tables>, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  // The row first: who ends the response at this moment waits for it, and then adds no text to what is gone.
  const removed = await trx
    .deleteFrom('kept_responses')
    .where('id', 'in', ids)
    .returning(['user_id', 'bytes'])
    .execute()
  await trx.deleteFrom('kept_texts').where('owner_id', 'in', ids).execute()
  return takeOff(trx, removed)
}

/** The same for conversations with their items. */
export async function removeConversations(trx: Transaction<Tables>, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  const removed = await trx.deleteFrom('conversations').where('id', 'in', ids).returning(['user_id', 'bytes']).execute()
  await trx.deleteFrom('kept_texts').where('owner_id', 'in', ids).execute()
  await trx.deleteFrom('conversation_items').where('conversation_id', 'in', ids).execute()
  return takeOff(trx, removed)
}

async function takeOff(
  trx: Transaction<Tables>,
  removed: readonly { readonly user_id: string; readonly bytes: number }[],
): Promise<number> {
  const byUser = Map.groupBy(removed, (row) => row.user_id)
  for (const [userId, own] of byUser) await addBytes(trx, userId, -own.reduce((sum, { bytes }) => sum + bytes, 0))
  return removed.length
}

/** The first of them that make at least so many bytes together, or all. */
function enough(rows: readonly Sized[], bytes: number): { readonly ids: readonly string[]; readonly bytes: number } {
  const ids: string[] = []
  let sum = 0
  for (const row of rows) {
    if (sum >= bytes) break
    ids.push(row.id)
    sum += row.bytes
  }
  return { ids, bytes: sum }
}
