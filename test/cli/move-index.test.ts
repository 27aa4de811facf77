/** Moving the index of vectors by the command line, on a running server. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startQdrantServer } from '#test/support/documents/qdrant-server.ts'
import { Installation } from './sluice.ts'

test('vectors move to Qdrant and back while searches go on, and its absence is said', async () => {
  await using qdrant = startQdrantServer()
  await using sluice = new Installation({
    SLUICE_DOCUMENTS_QDRANT_URL: qdrant.url,
    SLUICE_DOCUMENTS_QDRANT_API_KEY: qdrant.apiKey,
  })
  await sluice.start()
  writeFileSync(join(sluice.directory, 'menu.txt'), 'Lentil soup on Mondays.\n')
  expect((await sluice.run(['import', 'menu.txt'])).code).toBe(0)
  const search = (mode: string) => sluice.run(['search', 'lentil soup', '--mode', mode])

  expect(await sluice.run(['documents', 'move-index', 'qdrant'])).toMatchObject({
    code: 0,
    stdout: '1 of 1 chunks are searched by: qdrant.\n',
  })
  expect(qdrant.points()).toBe(1)
  expect((await search('vector')).stdout).toContain('menu.txt')

  qdrant.fault = 'away'
  expect(await search('vector')).toMatchObject({
    code: 1,
    lines: [expect.stringContaining('The index of the vectors does not answer')],
  })
  expect(await search('hybrid')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('menu.txt'),
    lines: [expect.stringContaining('searched by words only')],
  })
  expect(await sluice.run(['documents', 'move-index', 'pgvector'])).toMatchObject({
    code: 1,
    lines: [expect.stringContaining('pgvector is a part of PostgreSQL')],
  })

  expect(await sluice.json(['documents', 'move-index', 'memory'])).toMatchObject({ target: 'memory', problem: null })
  expect((await search('vector')).stdout).toContain('menu.txt')
  expect(await sluice.run(['documents', 'move-index', 'nowhere'])).toMatchObject({ code: 1 })

  qdrant.fault = null
  expect((await sluice.run(['documents', 'move-index', 'memory'])).code).toBe(0)
  expect(qdrant.points()).toBe(0)
}, 60_000)
