/** Conversations that the gateway keeps: items in their order, each sealed for itself, in a table of texts. */
import type { Kysely, Transaction } from 'kysely'
import type { Sealer } from '#lib/seal.ts'
import { lockRow, type Database } from '../database.ts'
import type { ConversationsTable, Tables } from '../schema.ts'
import { addWithinLimit, removeConversations } from './kept-bytes.ts'
import { bytesOf, openText, sealText, writeTexts, type SealedText } from './kept-texts.ts'

export interface Conversation {
  readonly id: string
  readonly userId: string
  readonly bytes: number
  readonly createdAt: number
  readonly usedAt: number
}

/** An item, and its JSON. */
export interface ConversationItem {
  readonly id: string
  readonly text: string
}

/** Part of the items, in the order of the conversation or against it. */
export interface ItemRange {
  readonly limit: number
  readonly descending: boolean
  /** Items behind this one, in that order. */
  readonly after: string | null
}

export interface ConversationStore {
  insert(conversation: Omit<Conversation, 'bytes'>, metadata: string, bytesMax: number): Promise<void>
  find(id: string): Promise<Conversation | null>
  metadata(id: string): Promise<string>
  /** False when the conversation is gone. */
  setMetadata(id: string, metadata: string): Promise<boolean>
  /** Adds items behind the others, all or none. False when the conversation is gone. */
  append(
    id: string,
    items: readonly ConversationItem[],
    at: { readonly now: number; readonly bytesMax: number },
  ): Promise<boolean>
  /** Null when `after` names no item. */
  items(id: string, range: ItemRange): Promise<readonly ConversationItem[] | null>
  item(id: string, itemId: string): Promise<ConversationItem | null>
  /** False when there was none. */
  deleteItem(id: string, itemId: string): Promise<boolean>
  /** False when there was none. */
  delete(id: string): Promise<boolean>
  /** Removes some that were not used since; returns how many. */
  purgeBefore(at: number, limit: number): Promise<number>
}

const metadataKind = 'metadata'

/** The conversations of this database. */
export function conversationStore(database: Database, sealer: Sealer): ConversationStore {
  return { ...reads(database, sealer), ...writes(database, sealer), ...removals(database) }
}

type Names<Name extends keyof ConversationStore> = Pick<ConversationStore, Name>

function reads({ kysely }: Database, sealer: Sealer): Names<'find' | 'metadata' | 'items' | 'item'> {
  return {
    async find(id) {
      const row = await kysely.selectFrom('conversations').selectAll().where('id', '=', id).executeTakeFirst()
      return row === undefined ? null : conversationOf(row)
    },
    metadata: async (id) => (await readTexts(kysely, sealer, id, [metadataKind])).get(metadataKind) ?? '{}',
    async items(id, { limit, descending, after }) {
      let query = kysely.selectFrom('conversation_items').select(['item_id']).where('conversation_id', '=', id)
      if (after !== null) {
        const last = await kysely
          .selectFrom('conversation_items')
          .select('position')
          .where('conversation_id', '=', id)
          .where('item_id', '=', after)
          .executeTakeFirst()
        if (last === undefined) return null
        query = query.where('position', descending ? '<' : '>', last.position)
      }
      const rows = await query
        .orderBy('position', descending ? 'desc' : 'asc')
        .limit(limit)
        .execute()
      const texts = await readTexts(
        kysely,
        sealer,
        id,
        rows.map((row) => row.item_id),
      )
      return rows.map((row) => ({ id: row.item_id, text: texts.get(row.item_id) ?? '{}' }))
    },
    async item(id, itemId) {
      const text = (await readTexts(kysely, sealer, id, [itemId])).get(itemId)
      return text === undefined || itemId === metadataKind ? null : { id: itemId, text }
    },
  }
}

function writes(database: Database, sealer: Sealer): Names<'insert' | 'setMetadata' | 'append'> {
  const { kysely } = database
  return {
    async insert(conversation, metadata, bytesMax) {
      const sealed = await sealText(sealer, { ownerId: conversation.id, kind: metadataKind }, metadata)
      await kysely.transaction().execute(async (trx) => {
        const { id, userId, createdAt, usedAt } = conversation
        const row = {
          id,
          user_id: userId,
          next_position: 0,
          bytes: sealed.bytes,
          created_at: createdAt,
          used_at: usedAt,
        }
        await trx.insertInto('conversations').values(row).execute()
        await writeTexts(trx, [sealed])
        await addWithinLimit(trx, userId, sealed.bytes, { bytesMax, kept: id })
      })
    },
    async setMetadata(id, metadata) {
      const sealed = await sealText(sealer, { ownerId: id, kind: metadataKind }, metadata)
      return kysely.transaction().execute(async (trx) => {
        const before = await lockedConversation(database, trx, id)
        if (before === undefined) return false
        const fewer = await removeTexts(trx, id, metadataKind)
        await writeTexts(trx, [sealed])
        await grow(trx, before, { bytes: sealed.bytes - fewer })
        return true
      })
    },
    async append(id, items, { now, bytesMax }) {
      const sealed: SealedText[] = []
      for (const item of items) sealed.push(await sealText(sealer, { ownerId: id, kind: item.id }, item.text))
      return kysely.transaction().execute(async (trx) => {
        const before = await lockedConversation(database, trx, id)
        if (before === undefined) return false
        for (const [index, { place, bytes }] of sealed.entries()) {
          const position = before.next_position + index
          const row = { conversation_id: id, position, item_id: place.kind, bytes }
          await trx.insertInto('conversation_items').values(row).execute()
        }
        await writeTexts(trx, sealed)
        const row = { next_position: before.next_position + items.length, used_at: now }
        await trx.updateTable('conversations').set(row).where('id', '=', id).execute()
        await grow(trx, before, { bytes: bytesOf(sealed), bytesMax })
        return true
      })
    },
  }
}

function removals(database: Database): Names<'deleteItem' | 'delete' | 'purgeBefore'> {
  const { kysely } = database
  return {
    deleteItem: (id, itemId) =>
      kysely.transaction().execute(async (trx) => {
        const before = await lockedConversation(database, trx, id)
        const deleted = await trx
          .deleteFrom('conversation_items')
          .where('conversation_id', '=', id)
          .where('item_id', '=', itemId)
          .executeTakeFirst()
        if (before === undefined || deleted.numDeletedRows === 0n) return false
        await grow(trx, before, { bytes: -(await removeTexts(trx, id, itemId)) })
        return true
      }),
    delete: (id) => kysely.transaction().execute(async (trx) => (await removeConversations(trx, [id])) > 0),
    async purgeBefore(at, limit) {
      const rows = await kysely
        .selectFrom('conversations')
        .select('id')
        .where('used_at', '<', at)
        .orderBy('used_at')
        .limit(limit)
        .execute()
      return kysely.transaction().execute((trx) =>
        removeConversations(
          trx,
          rows.map(({ id }) => id),
        ),
      )
    },
  }
}

/** The texts of these kinds, by kind. */
async function readTexts(
  kysely: Kysely<Tables>,
  sealer: Sealer,
  id: string,
  kinds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  if (kinds.length === 0) return texts
  const rows = await kysely
    .selectFrom('kept_texts')
    .selectAll()
    .where('owner_id', '=', id)
    .where('kind', 'in', kinds)
    .orderBy('position')
    .execute()
  for (const [kind, pieces] of Map.groupBy(rows, (row) => row.kind)) texts.set(kind, await openText(sealer, pieces))
  return texts
}

/** Two writers of a conversation come one after the other, so that their items have places of their own. */
async function lockedConversation(database: Database, trx: Transaction<Tables>, id: string) {
  await lockRow(database, trx, { table: 'conversations', id })
  return trx.selectFrom('conversations').selectAll().where('id', '=', id).executeTakeFirst()
}

async function grow(
  trx: Transaction<Tables>,
  { id, user_id: userId }: ConversationsTable,
  { bytes, bytesMax = Number.MAX_SAFE_INTEGER }: { readonly bytes: number; readonly bytesMax?: number },
): Promise<void> {
  await trx
    .updateTable('conversations')
    .set((row) => ({ bytes: row('bytes', '+', bytes) }))
    .where('id', '=', id)
    .execute()
  await addWithinLimit(trx, userId, bytes, { bytesMax, kept: id })
}

/** Removes one text of a conversation; returns its bytes. */
async function removeTexts(trx: Transaction<Tables>, id: string, kind: string): Promise<number> {
  const rows = await trx
    .deleteFrom('kept_texts')
    .where('owner_id', '=', id)
    .where('kind', '=', kind)
    .returning('sealed')
    .execute()
  return rows.reduce((sum, { sealed }) => sum + sealed.length, 0)
}

function conversationOf(row: ConversationsTable): Conversation {
  return { id: row.id, userId: row.user_id, bytes: row.bytes, createdAt: row.created_at, usedAt: row.used_at }
}
