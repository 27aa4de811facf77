/** Files are read in a process with another working directory than the server's. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { startDocuments } from '#test/support/app/documents-app.ts'

const directory = await mkdtemp(join(tmpdir(), 'sluice-relative-'))
afterAll(() => rm(directory, { recursive: true }))

test('documents are read when data_dir is a relative path, as it is by default', async () => {
  await using app = await startDocuments({ set: [`data_dir=${relative(process.cwd(), directory)}`] })
  const { state, error } = await app.imported({ bytes: 'A text below a relative path.' })
  expect([state, error]).toEqual(['completed', null])
})
