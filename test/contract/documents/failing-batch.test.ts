/** An import of which one item cannot be looked at, because the database fails: nothing of the others is left. */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'

const app = documentsOfFile({ set: idle })

test('nothing is left on its way, and no document and no bytes', async () => {
  using database = new Database(join(app().directory, 'sluice.db'))
  database.run('alter table groups rename to groups_elsewhere')
  const large = 'many words '.repeat(200_000)
  const items = Array.from({ length: 7 }, (_, at) => ({ bytes: `${at} ${large}` }))
  const response = await app().import([...items, { bytes: 'owned', owners: 'group:team' }])
  expect(response.status).toBeGreaterThanOrEqual(500)
  expect(await app().onTheirWay()).toEqual([])
  expect(await Array.fromAsync(app().blobs.list())).toEqual([])
  database.run('alter table groups_elsewhere rename to groups')
  await app().accepted([{ bytes: 'owned', owners: 'group:team' }])
})
