/** `path` of an item: files of the server, below the configured directories and nowhere else. */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, describe, expect, test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'

const directory = mkdtempSync(join(tmpdir(), 'sluice-roots-'))
afterAll(() => rmSync(directory, { recursive: true }))
const root = join(directory, 'root')
const sibling = join(directory, 'root-beside')
for (const each of [root, join(root, 'inner'), sibling]) mkdirSync(each)
const content = 'The content of a file of the server.'
writeFileSync(join(root, 'inner', 'a.txt'), content)
writeFileSync(join(sibling, 'outside.txt'), 'outside')
writeFileSync(join(root, 'empty.txt'), '')
symlinkSync(join(root, 'inner', 'a.txt'), join(root, 'link-inside.txt'))
symlinkSync(join(sibling, 'outside.txt'), join(root, 'link-out.txt'))
symlinkSync(sibling, join(root, 'directory-out'))
symlinkSync('/dev/zero', join(root, 'zero'))
symlinkSync(join(root, 'circle'), join(root, 'circle'))
Bun.spawnSync(['mkfifo', join(root, 'fifo')])

const app = documentsOfFile({ set: [...idle, `documents.import_roots=${root}`, 'documents.max_file_bytes=1000'] })

test('a file below a root is imported, and its path comes back', async () => {
  const path = join(root, 'inner', 'a.txt')
  const { status, accepted } = await app().answer([{ path }])
  expect(status).toBe(202)
  expect(accepted[0]).toMatchObject({ path, bytes: '' })
  const { sha256, bytes } = await app().record(accepted[0]!.doc_id!)
  expect([sha256, bytes]).toEqual([createHash('sha256').update(content).digest('hex'), content.length])
})

test('a link that stays inside is followed', async () => {
  const { duplicate } = await app().answer([{ path: join(root, 'link-inside.txt') }])
  expect(duplicate).toHaveLength(1)
})

describe('what may not be read has one answer, so that nobody can feel their way through the disk', () => {
  const paths: Readonly<Record<string, string>> = {
    'that is missing': join(root, 'missing.txt'),
    'of a directory': join(root, 'inner'),
    'of the root itself': root,
    'of a link that leads out': join(root, 'link-out.txt'),
    'through a directory that leads out': join(root, 'directory-out', 'outside.txt'),
    'that climbs out': `${root}/../root-beside/outside.txt`,
    'beside the root that begins as the root does': join(sibling, 'outside.txt'),
    'of a system file': '/etc/passwd',
    'of a device': '/dev/zero',
    'of a link to a device': join(root, 'zero'),
    'of a pipe': join(root, 'fifo'),
    'of a link in a circle': join(root, 'circle'),
    'of this process': '/proc/self/environ',
    'with a NUL': `${root}/inner/a.txt\0.pdf`,
    'that is relative': relative(process.cwd(), join(sibling, 'outside.txt')),
    'as a URL': `file://${join(root, 'inner', 'a.txt')}`,
  }
  for (const [which, path] of Object.entries(paths)) {
    test(`a path ${which}`, async () => {
      const message = await app().invalid({ path }, 'invalid_path')
      expect(message).toBe('There is no file at this path that may be imported. Send the content in "bytes".')
    })
  }
})

test('a file below a root that is empty or too large says so', async () => {
  await app().invalid({ path: join(root, 'empty.txt') }, 'empty')
  writeFileSync(join(root, 'large.txt'), 'words '.repeat(1000))
  await app().invalid({ path: join(root, 'large.txt') }, 'too_large')
})
