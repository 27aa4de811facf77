/** What every place for vectors must do: the same as the memory, at each moment of a move. */
import { expect } from 'bun:test'
import type { DocumentStore, Viewer } from '#store/documents/document-store.ts'
import type { VectorPlace } from '#store/documents/vector-places.ts'
import { aDocument, chunks, complete, completeAll, everything, space, viewer } from './store-documents.ts'
import { expectFullLists, withShares } from './store-contract-metadata.ts'
import { find, fixedNumbers } from './store-searches.ts'
import type { Store } from '#store/store.ts'
import type { StoreTest } from './store-test.ts'

const random = fixedNumbers(7)
const vector = (): Float32Array => Float32Array.from({ length: space.dimensions }, () => random() - 0.5)
const bob = viewer('bob')

/** Moves until nothing is left to move. */
export async function moveAll(documents: DocumentStore, place: VectorPlace): Promise<void> {
  for (;;) {
    const { sets, refusal } = await documents.moveVectors(place)
    expect(refusal).toBeNull()
    if (sets === 0) return
  }
}

/** Chunks that each place holds, in the order memory, pgvector, Qdrant. */
export async function held(documents: DocumentStore): Promise<readonly number[]> {
  return (await documents.placedVectors()).map(({ ready }) => ready)
}

/** Rows and cosines of the nearest, rounded as far as floats are alike. */
export async function nearest(
  documents: DocumentStore,
  asked: Float32Array,
  { as = everything, limit = 20 }: { readonly as?: Viewer; readonly limit?: number } = {},
): Promise<readonly string[]> {
  const { vector: found, silent } = await find(documents, {
    viewer: as,
    vectors: [{ spaceKey: space.key, vector: asked }],
    limit,
  })
  expect(silent).toEqual([])
  return found.map(({ row, score }) => `${row} ${score.toFixed(5)}`)
}

/** Twelve documents of five chunks, of which every fourth belongs to bob; returns the ids of his. */
async function withDocuments(documents: DocumentStore): Promise<readonly string[]> {
  const owners = Array.from({ length: 12 }, (_each, at) => (at % 4 === 0 ? 'bob' : 'eve'))
  const imported = owners.map((owner) => ({
    document: aDocument({ importerId: owner, owners: [`user:${owner}`] }),
    its: chunks(5, () => ({ vector: vector() })),
  }))
  await completeAll(documents, imported)
  return imported.filter(({ document }) => document.importerId === 'bob').map(({ document }) => document.id)
}

/** @param place that the store is set up for; `kept` counts the vectors that are there, by asking it */
export function placeContract(
  storeTest: StoreTest,
  place: Exclude<VectorPlace, 'memory'>,
  kept: (store: Store) => Promise<number>,
): void {
  const at = { pgvector: 1, qdrant: 2 }[place]

  storeTest('a filter over metadata narrows what is searched there', async ({ documents }) => {
    await withShares(documents)
    await moveAll(documents, place)
    expect((await held(documents))[at]).toBe(200)
    await expectFullLists(documents)
  })

  storeTest('at each step of a move, and after it, searches find what they found before', async (store) => {
    const { documents } = store
    await withDocuments(documents)
    const questions = Array.from({ length: 3 }, vector)
    const answers = async (): Promise<unknown> => {
      const lists = []
      for (const asked of questions) {
        lists.push(await nearest(documents, asked), await nearest(documents, asked, { as: bob, limit: 50 }))
      }
      return lists
    }
    const before = await answers()
    for (const target of [place, 'memory'] as const) {
      for (let sets = 1; sets > 0;) {
        sets = (await documents.moveVectors(target)).sets
        expect(await answers()).toEqual(before)
        expect((await held(documents)).reduce((sum, ready) => sum + ready)).toBe(60)
      }
      expect((await held(documents))[target === 'memory' ? 0 : at]).toBe(60)
      expect(await kept(store)).toBe(target === 'memory' ? 0 : 60)
    }
  })

  storeTest('a new document is found at once, and moves to the others', async (store) => {
    const { documents } = store
    await withDocuments(documents)
    await moveAll(documents, place)
    const asked = vector()
    await complete(
      documents,
      aDocument(),
      chunks(1, () => ({ vector: asked })),
    )
    const [first] = await nearest(documents, asked)
    expect(first).toEndWith(' 1.00000')
    expect((await held(documents))[0]).toBe(1)
    await moveAll(documents, place)
    expect((await held(documents))[0]).toBe(0)
    expect((await nearest(documents, asked))[0]).toBe(first)
  })

  storeTest('a deleted document is never found again, and its vectors leave the place', async (store) => {
    const { documents } = store
    const [deleted = '', ...others] = await withDocuments(documents)
    await moveAll(documents, place)
    await documents.delete(deleted, everything)
    expect(await nearest(documents, vector(), { as: bob })).toHaveLength(5 * others.length)
    expect(await nearest(documents, vector(), { limit: 400 })).toHaveLength(55)
    await moveAll(documents, place)
    expect(await kept(store)).toBe(55)
  })

  storeTest('a new version takes the place of the old one, and new owners see it at once', async (store) => {
    const { documents } = store
    const [id = ''] = await withDocuments(documents)
    await moveAll(documents, place)
    const asked = vector()
    await complete(
      documents,
      aDocument({ id, importerId: 'bob', owners: ['user:cleo'] }),
      chunks(2, () => ({ vector: asked })),
    )
    expect(await nearest(documents, asked, { as: viewer('cleo') })).toHaveLength(2)
    while ((await documents.purgeSome()) > 0) continue
    await moveAll(documents, place)
    expect(await nearest(documents, asked, { as: viewer('cleo') })).toHaveLength(2)
    expect(await kept(store)).toBe(57)
  })

  storeTest('a document that is removed while it moves leaves nothing behind', async (store) => {
    const { documents } = store
    const ids = await withDocuments(documents)
    const moving = moveAll(documents, place)
    await Promise.all(ids.map((id) => documents.delete(id, everything)))
    await moving
    await moveAll(documents, place)
    expect(await nearest(documents, vector(), { as: bob })).toEqual([])
    expect(await kept(store)).toBe(45)
  })
}
