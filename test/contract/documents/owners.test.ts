/** Who owns a document, and who sees that it exists: its owners, its importer and administrators, nobody else. */
import { describe, expect, test } from 'bun:test'
import { documentsOfFile } from '#test/support/app/documents-app.ts'
import type { StockKey } from '#test/support/app/gateway-catalog.ts'

const app = documentsOfFile()

/** What a caller learns of a document: its record, list, chunks and search all alike. */
async function sees(key: StockKey, id: string, word: string): Promise<boolean> {
  const seen = [
    (await app().statusOf('GET', `/api/v1/document/${id}`, key)) === 200,
    (await app().statusOf('GET', `/api/v1/document/${id}/chunks`, key)) === 200,
    (await app().listed('?limit=200', { key })).includes(id),
    ...(await Promise.all(
      ['hybrid', 'vector', 'keyword'].map(async (mode) => {
        const hits = await app().hits({ query: word, mode, top_k: 200 }, { key })
        return hits.some((hit) => hit.doc_id === id)
      }),
    )),
  ]
  expect(new Set(seen).size).toBe(1)
  return seen[0]!
}

async function seenBy(owners: unknown, word: string): Promise<Readonly<Record<'main' | 'other' | 'admin', boolean>>> {
  const { doc_id: id } = await app().imported({ bytes: `About the ${word}.`, ...(owners !== undefined && { owners }) })
  const { main, other, admin } = app().keys
  return { main: await sees(main, id, word), other: await sees(other, id, word), admin: await sees(admin, id, word) }
}

describe('a document is seen by', () => {
  const onlyMine = { main: true, other: false, admin: true }
  const both = { main: true, other: true, admin: true }

  test('its importer and administrators when no owner is named', async () => {
    expect(await seenBy(undefined, 'walrus')).toEqual(onlyMine)
    expect(await seenBy(null, 'narwhal')).toEqual(onlyMine)
  })

  test('an owner who is named by id or by e-mail address, in any case', async () => {
    const { userId } = app().keys.other
    expect(await seenBy(userId, 'badger')).toEqual(both)
    expect(await seenBy(userId.toUpperCase(), 'otter')).toEqual(both)
    expect(await seenBy([`${userId}@example.com`], 'weasel')).toEqual(both)
    expect(await seenBy(`${userId.toUpperCase()}@EXAMPLE.com`, 'ferret')).toEqual(both)
  })

  test('the members of a group that owns it', async () => {
    expect(await seenBy('group:closed', 'pelican')).toEqual(both)
    expect(await seenBy('group:team', 'heron')).toEqual(onlyMine)
  })

  test('everyone when it is everyone’s', async () => {
    expect(await seenBy('everyone', 'sparrow')).toEqual(both)
    expect(await seenBy(['group:everyone'], 'starling')).toEqual(both)
  })

  test('its importer also when only others own it', async () => {
    expect(await seenBy(app().keys.admin.userId, 'magpie')).toEqual(onlyMine)
  })
})

test('membership counts at the time of the request: who joins the group sees, who leaves does not', async () => {
  const { doc_id: id } = await app().imported({ bytes: 'About the bittern.', owners: 'group:team' })
  const { other } = app().keys
  const membership = `/users/${other.userId}/groups/${app().teamGroupId}`
  expect(await sees(other, id, 'bittern')).toBe(false)
  expect((await app().operate('PUT', membership)).status).toBeLessThan(300)
  expect(await sees(other, id, 'bittern')).toBe(true)
  expect((await app().operate('DELETE', membership)).status).toBeLessThan(300)
  expect(await sees(other, id, 'bittern')).toBe(false)
})

test('the answer writes owners as they can be sent again', async () => {
  const { main, other } = app().keys
  const owners = ['everyone', 'group:team', main.userId, `${other.userId}@example.com`]
  const record = await app().imported({ bytes: 'Owned by many.', owners })
  const written = ['everyone', 'group:team', `${main.userId}@example.com`, `${other.userId}@example.com`]
  expect(record.owners.toSorted()).toEqual(written.toSorted())
  const again = await app().answer([{ bytes: 'Owned by many.', owners: record.owners }])
  expect(again.duplicate.map(({ doc_id: id }) => id)).toEqual([record.doc_id])
})

test('a search or a list for the owners of others brings nothing that is not seen anyway', async () => {
  const { main, other } = app().keys
  const { doc_id: id } = await app().imported({ bytes: 'About the capercaillie.' })
  const asked = { query: 'capercaillie', owners: main.userId }
  const others = await app().hits(asked, { key: other })
  expect(others.filter((hit) => hit.doc_id === id)).toEqual([])
  expect((await app().hits(asked))[0]?.doc_id).toBe(id)
  expect(await app().listed(`?owner=${main.userId}`, { key: other })).not.toContain(id)
  expect(await app().hits({ query: 'capercaillie', doc_id: id }, { key: other })).toEqual([])
})
