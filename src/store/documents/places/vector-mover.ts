/**
 * Moves sets of chunks to the place that is wanted, some at a time, while searches go on: a set is found in memory until
 * it is complete in its place. Nothing is lost by a stop at any point; the next step goes on.
 *
 * A set is claimed for its place before anything is put there. Whatever removes a claimed set notes that its place has to
 * forget it (`vector_removals`), and steps do that before anything is put there. One process at a time moves.
 */
import { sql } from 'kysely'
import type { Connection } from '../../database.ts'
import { floatsOf } from '../indexing/vector-bytes.ts'
import { logChanges } from '../rows/changes.ts'
import { rowsOf } from '../rows/chunk-row.ts'
import { isOneOf } from '../statements.ts'
import { pgvectorOf } from './pgvector.ts'
import { underSessionLock } from '../session-lock.ts'
import { noteRemoval, type PlacedSet } from './removed-sets.ts'
import {
  indexStates,
  placeNames,
  vectorPlaces,
  type MoveStep,
  type PlacedChunks,
  type VectorChoice,
  type VectorPlace,
} from '../vector-places.ts'
import { VectorsUnavailable, type VectorSpace } from './vector-index.ts'
import type { VectorKeeper } from './vector-keeper.ts'

export interface VectorMover {
  /** Moves some sets towards the place. Rejects with VectorsUnavailable when another server does not answer. */
  step(choice: VectorChoice): Promise<MoveStep>
  placed(): Promise<readonly PlacedChunks[]>
}

const setsTogether = 50
const chunksTogether = 500
const marksTogether = 1000
const removedTogether = 200
/** Chunks from which on `auto` takes pgvector; below it, the memory is as quick, exact, and needs no building. */
const autoMin = 200_000

interface NextSet extends VectorSpace {
  readonly setRow: number
}

/** Moving in this database, to these places outside of the memory. The connection is one session, and no other's. */
export function vectorMover(connection: Connection, keepers: readonly VectorKeeper[]): VectorMover {
  /** The place that this process has checked for what it should have. */
  let checked: VectorPlace | null = null
  const step = async (target: VectorPlace): Promise<number> => {
    const keeper = keepers.find(({ place }) => place === target) ?? null
    const back = await takeBack(connection, target)
    if (back > 0) return back
    if (keeper !== null && checked !== target) await checkPlace(connection, keeper)
    checked = target
    const removed = await removeNoted(connection, keepers, target).catch((thrown: unknown) => {
      // What another place still has to forget is not found, and waits; in this one it comes before anything new.
      if (keeper === null && thrown instanceof VectorsUnavailable) return 0
      throw thrown
    })
    if (removed > 0 || keeper === null) return removed
    const copied = await copySome(connection, keeper)
    return copied > 0 ? copied : makeReady(connection, keeper)
  }
  return {
    async step(choice) {
      const target = choice === 'auto' ? await placeFor(connection) : choice
      const done = { target, sets: 0, busy: false, refusal: null }
      const refusal = await refusalOf(keepers, target)
      if (refusal !== null) return { ...done, refusal }
      const sets = await underSessionLock(connection, 'sluice vectors', () => step(target))
      return sets === null ? { ...done, busy: true } : { ...done, sets }
    },
    placed: () => placed(connection),
  }
}

async function refusalOf(keepers: readonly VectorKeeper[], target: VectorPlace): Promise<string | null> {
  if (target === 'memory') return null
  const keeper = keepers.find(({ place }) => place === target)
  if (keeper !== undefined) return keeper.refusal()
  return target === 'qdrant'
    ? 'There is no Qdrant: set documents.qdrant_url.'
    : 'pgvector is a part of PostgreSQL, and this server is on SQLite.'
}

/** Where `auto` has vectors: where most of them are already, so that a number near the limit moves nothing to and fro. */
async function placeFor(connection: Connection): Promise<VectorPlace> {
  if ((await pgvectorOf(connection)) === null) return 'memory'
  const { kysely } = connection
  const some = await kysely
    .selectFrom('chunk_sets')
    .select('row')
    .where('index_place', '>', sql.lit(0))
    .limit(1)
    .execute()
  if (some.length > 0) return 'pgvector'
  const { chunks } = await kysely
    .selectFrom('chunk_sets')
    .select(sql<number>`coalesce(sum(chunks), 0)`.as('chunks'))
    .executeTakeFirstOrThrow()
  return Number(chunks) >= autoMin ? 'pgvector' : 'memory'
}

/** Lets the memory have sets that are held elsewhere. */
async function takeBack(connection: Connection, target: VectorPlace): Promise<number> {
  const sets = await connection.kysely
    .selectFrom('chunk_sets')
    .select(['row', 'space_row', 'index_place'])
    .where('index_place', '>', sql.lit(vectorPlaces.memory))
    .where('index_place', '!=', vectorPlaces[target])
    .limit(marksTogether)
    .execute()
  await toMemory(connection, sets, true)
  return sets.length
}

async function toMemory({ engine, kysely }: Connection, sets: readonly PlacedSet[], forget: boolean): Promise<void> {
  if (sets.length === 0) return
  const rows = sets.map(({ row }) => row)
  await kysely.transaction().execute(async (trx) => {
    await trx
      .updateTable('chunk_sets')
      .set({ index_place: vectorPlaces.memory, index_state: indexStates.none })
      .where(isOneOf(engine, 'row', rows))
      .execute()
    if (forget) for (const set of sets) await noteRemoval(trx, set)
    await logChanges(trx, rows)
  })
}

/** Takes back what a place should have and has lost: its server was replaced, or put back to an earlier time. */
async function checkPlace(connection: Connection, keeper: VectorKeeper): Promise<void> {
  const { kysely } = connection
  const place = vectorPlaces[keeper.place]
  const held = kysely
    .selectFrom('chunk_sets')
    .where('index_place', '=', place)
    .where('index_state', '=', indexStates.ready)
  const spaces = await held
    .innerJoin('vector_spaces', 'vector_spaces.row', 'chunk_sets.space_row')
    .select(['vector_spaces.row', 'vector_spaces.dimensions', sql<number>`sum(chunk_sets.chunks)`.as('chunks')])
    .groupBy(['vector_spaces.row', 'vector_spaces.dimensions'])
    .execute()
  for (const { chunks, ...space } of spaces) {
    if ((await keeper.count(space)) >= Number(chunks)) continue
    for (;;) {
      const sets = await held
        .select(['row', 'space_row', 'index_place'])
        .where('space_row', '=', space.row)
        .limit(marksTogether)
        .execute()
      if (sets.length === 0) break
      await toMemory(connection, sets, false)
    }
  }
}

/** Lets places forget what was removed or taken back. */
async function removeNoted(
  { engine, kysely }: Connection,
  keepers: readonly VectorKeeper[],
  target: VectorPlace,
): Promise<number> {
  const places = keepers.map(({ place }) => vectorPlaces[place])
  const first = await kysely
    .selectFrom('vector_removals')
    .select(['place', 'space_row'])
    .where(isOneOf(engine, 'place', places))
    .orderBy('set_row')
    .limit(1)
    .executeTakeFirst()
  const keeper = keepers.find(({ place }) => vectorPlaces[place] === first?.place)
  if (first === undefined || keeper === undefined) return 0
  const of = { place: first.place, space: first.space_row }
  const rows = await kysely
    .selectFrom('vector_removals')
    .innerJoin('vector_spaces', 'vector_spaces.row', 'vector_removals.space_row')
    .select(['set_row', 'vector_spaces.row', 'vector_spaces.dimensions'])
    .where('place', '=', of.place)
    .where('space_row', '=', of.space)
    .orderBy('set_row')
    .limit(removedTogether)
    .execute()
  const [space] = rows
  if (space === undefined) return 0
  const sets = rows.map(({ set_row: setRow }) => setRow)
  await keeper.remove(space, sets)
  if (keeper.place !== target) await keeper.dropIfEmpty(space)
  await kysely
    .deleteFrom('vector_removals')
    .where('place', '=', of.place)
    .where(isOneOf(engine, 'set_row', sets))
    .execute()
  return sets.length
}

/** Puts the next sets into their place. */
async function copySome(connection: Connection, keeper: VectorKeeper): Promise<number> {
  const next = await nextSets(connection, keeper)
  for (const [, sets] of Map.groupBy(next, ({ row }) => row)) {
    const [space] = sets
    if (space !== undefined) await copySets(connection, keeper, space, sets)
  }
  return next.length
}

/** Visible sets that no place has, all of them of spaces that this one can have. */
function nextSets({ kysely }: Connection, keeper: VectorKeeper): Promise<readonly NextSet[]> {
  return (
    kysely
      .selectFrom('chunk_sets')
      .innerJoin('documents', (join) =>
        join
          .onRef('documents.row', '=', 'chunk_sets.document_row')
          .onRef('documents.visible_set', '=', 'chunk_sets.row'),
      )
      .innerJoin('vector_spaces', 'vector_spaces.row', 'chunk_sets.space_row')
      .select(['chunk_sets.row as setRow', 'vector_spaces.row', 'vector_spaces.dimensions'])
      // As the index has it, and then exactly.
      .where('chunk_sets.index_state', '<', sql.lit(indexStates.ready))
      .where('chunk_sets.index_state', '=', indexStates.none)
      .where('vector_spaces.dimensions', '<=', keeper.dimensionsMax)
      .orderBy('chunk_sets.row')
      .limit(setsTogether)
      .execute()
  )
}

async function copySets(
  connection: Connection,
  keeper: VectorKeeper,
  space: VectorSpace,
  sets: readonly NextSet[],
): Promise<void> {
  const { engine, kysely } = connection
  const rows = sets.map(({ setRow }) => setRow)
  await keeper.prepare(space)
  await kysely
    .updateTable('chunk_sets')
    .set({ index_place: vectorPlaces[keeper.place] })
    .where(isOneOf(engine, 'row', rows))
    .execute()
  for (const setRow of rows) await copySet(connection, keeper, space, setRow)
  const state = (await keeper.isBuilt(space)) ? indexStates.ready : indexStates.copied
  const there = await mark(connection, rows, state)
  // Removed in the meantime, perhaps before all of it was put there.
  const gone = rows.filter((row) => !there.has(row))
  if (gone.length > 0) await keeper.remove(space, gone)
}

async function copySet(
  { kysely }: Connection,
  keeper: VectorKeeper,
  space: VectorSpace,
  setRow: number,
): Promise<void> {
  const { from, to } = rowsOf(setRow)
  for (let after = from - 1; ;) {
    const chunks = await kysely
      .selectFrom('chunk_vectors')
      .selectAll()
      .where('row', '>', after)
      .where('row', '<', to)
      .orderBy('row')
      .limit(chunksTogether)
      .execute()
    const last = chunks.at(-1)
    if (last === undefined) return
    await keeper.put(
      space,
      chunks.map(({ row, vector }) => ({ row, setRow, vector: floatsOf(vector) })),
    )
    after = last.row
  }
}

/** Sets the state of the sets that are still there, and returns those. */
async function mark(
  { engine, kysely }: Connection,
  rows: readonly number[],
  state: number,
): Promise<ReadonlySet<number>> {
  return kysely.transaction().execute(async (trx) => {
    const marked = await trx
      .updateTable('chunk_sets')
      .set({ index_state: state })
      .where(isOneOf(engine, 'row', rows))
      .where('index_place', '!=', vectorPlaces.memory)
      .returning('row')
      .execute()
    const there = marked.map(({ row }) => row)
    if (state === indexStates.ready) await logChanges(trx, there)
    return new Set(there)
  })
}

/** When all sets are copied: makes them quick to find, and then found there. */
async function makeReady(connection: Connection, keeper: VectorKeeper): Promise<number> {
  const copied = await connection.kysely
    .selectFrom('chunk_sets')
    .innerJoin('vector_spaces', 'vector_spaces.row', 'chunk_sets.space_row')
    .select(['chunk_sets.row as setRow', 'vector_spaces.row', 'vector_spaces.dimensions'])
    .where('chunk_sets.index_state', '<', sql.lit(indexStates.ready))
    .where('chunk_sets.index_state', '=', indexStates.copied)
    .where('chunk_sets.index_place', '=', vectorPlaces[keeper.place])
    .orderBy('chunk_sets.row')
    .limit(marksTogether)
    .execute()
  const [space] = copied
  if (space === undefined) return 0
  if (!(await keeper.isBuilt(space))) await keeper.build(space)
  const sets = copied.filter(({ row }) => row === space.row).map(({ setRow }) => setRow)
  await mark(connection, sets, indexStates.ready)
  return sets.length
}

async function placed({ kysely }: Connection): Promise<readonly PlacedChunks[]> {
  const rows = await kysely
    .selectFrom('chunk_sets')
    .innerJoin('documents', (join) =>
      join.onRef('documents.row', '=', 'chunk_sets.document_row').onRef('documents.visible_set', '=', 'chunk_sets.row'),
    )
    .select(['index_place', 'index_state', sql<number>`sum(chunk_sets.chunks)`.as('chunks')])
    .groupBy(['index_place', 'index_state'])
    .execute()
  const sum = (has: (row: (typeof rows)[number]) => boolean): number =>
    rows.filter(has).reduce((all, { chunks }) => all + Number(chunks), 0)
  return placeNames.map((place) => ({
    place,
    ready: sum(({ index_place: at, index_state: state }) =>
      place === 'memory' ? state !== indexStates.ready : at === vectorPlaces[place] && state === indexStates.ready,
    ),
    copied: sum(
      ({ index_place: at, index_state: state }) => at === vectorPlaces[place] && state === indexStates.copied,
    ),
  }))
}
