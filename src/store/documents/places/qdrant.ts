/**
 * The place in Qdrant: a collection for each vector space, a point for each chunk under the number of its row, with the
 * number of its set. Qdrant gets no text, no names and no owners: who may see what is decided here, by the sets that a
 * search allows. What is removed here may still be there for a moment, and is not among the allowed sets.
 */
import { z } from '#lib/schema.ts'
import type { QdrantAddress } from '../vector-places.ts'
import { callQdrant, collectionOf } from './qdrant-client.ts'
import {
  candidatesFor,
  nearRow,
  VectorsUnavailable,
  type AllowedSets,
  type NearQuery,
  type NearRow,
  type VectorIndex,
} from './vector-index.ts'
import type { VectorKeeper } from './vector-keeper.ts'

const searchMs = 3000
const writeMs = 60_000
const dimensionsMax = 65_536
const efMin = 400
/** So many sets are named in a search; where more are allowed, what is not is left out of what Qdrant found. */
const namedMax = 20_000
/** Most points of one answer. */
const pointsMax = 20_000

const queried = z.object({ points: z.array(z.object({ id: z.int(), score: z.number() })) })
const counted = z.object({ count: z.int() })

type Filter = { readonly must: readonly unknown[] }

/** The search in the collections of this server. */
export function qdrantIndex(address: QdrantAddress): VectorIndex {
  const query = async ({ space, vector }: NearQuery, limit: number, filter?: Filter) => {
    const result = await callQdrant(address, collectionOf(address, space), {
      method: 'POST',
      path: '/points/query',
      body: { query: [...vector], limit, filter, params: { hnsw_ef: Math.max(efMin, limit) }, with_payload: false },
      timeoutMs: searchMs,
    })
    const parsed = queried.safeParse(result)
    if (result === null || !parsed.success) {
      throw new VectorsUnavailable(
        result === null ? 'Qdrant has lost a collection.' : 'Qdrant answered a search oddly.',
      )
    }
    return parsed.data.points
  }
  const allowedOf = (allowed: AllowedSets, points: z.output<typeof queried>['points']): readonly NearRow[] =>
    points.filter(({ id }) => allowed.isIn('qdrant', id)).map(({ id, score }) => nearRow(id, score))
  return {
    place: 'qdrant',
    async near(_reading, allowed, asked) {
      const wanted = candidatesFor(asked.limit)
      const few = allowed.sets <= namedMax
      // Twice as many as there should have to be, and then four times as many.
      const share = asked.held / Math.max(1, allowed.chunks)
      for (let limit = wanted * Math.max(1, Math.ceil(2 * (share - 1))); !few && limit <= pointsMax; limit *= 4) {
        const points = await query(asked, limit)
        const found = allowedOf(allowed, points)
        if (found.length >= Math.min(wanted, asked.limit) || points.length < limit) return found
      }
      const sets = allowed.setsIn('qdrant')
      if (sets.length === 0) return []
      return allowedOf(allowed, await query(asked, wanted, { must: [{ key: 'set', match: { any: sets } }] }))
    },
  }
}

/** Points in the collections of this server. */
export function qdrantKeeper(address: QdrantAddress): VectorKeeper {
  const call = (space: { readonly row: number }, given: Omit<Parameters<typeof callQdrant>[2], 'timeoutMs'>) =>
    callQdrant(address, collectionOf(address, space), { ...given, timeoutMs: writeMs })
  return {
    place: 'qdrant',
    dimensionsMax,
    async refusal() {
      try {
        // There is no such collection; an answer is all that is asked for.
        await callQdrant(address, collectionOf(address, { row: 0 }), { method: 'GET', path: '', timeoutMs: searchMs })
        return null
      } catch (thrown) {
        return thrown instanceof Error ? thrown.message : String(thrown)
      }
    },
    async prepare(space) {
      if ((await call(space, { method: 'GET', path: '' })) !== null) return
      const vectors = { size: space.dimensions, distance: 'Cosine', on_disk: true }
      const quantization = { scalar: { type: 'int8', always_ram: true } }
      await call(space, { method: 'PUT', path: '', body: { vectors, quantization_config: quantization } })
      const field = { field_name: 'set', field_schema: 'integer' }
      await call(space, { method: 'PUT', path: '/index?wait=true', body: field })
    },
    async put(space, chunks) {
      const points = chunks.map(({ row, setRow, vector }) => ({
        id: row,
        vector: [...vector],
        payload: { set: setRow },
      }))
      const result = await call(space, { method: 'PUT', path: '/points?wait=true', body: { points } })
      if (result === null) throw new VectorsUnavailable('Qdrant has lost a collection.')
    },
    isBuilt: async () => true,
    build: async () => undefined,
    async remove(space, setRows) {
      const filter: Filter = { must: [{ key: 'set', match: { any: setRows } }] }
      await call(space, { method: 'POST', path: '/points/delete?wait=true', body: { filter } })
    },
    async dropIfEmpty(space) {
      if ((await this.count(space)) === 0) await call(space, { method: 'DELETE', path: '' })
    },
    async count(space) {
      const result = await call(space, { method: 'POST', path: '/points/count', body: { exact: true } })
      return result === null ? 0 : counted.parse(result).count
    },
  }
}
