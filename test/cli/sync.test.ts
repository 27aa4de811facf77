/** `sluice sync`: the server has the files of a folder and no others, whatever happens to them and to the runs. */
import { expect, test } from 'bun:test'
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { eventually } from '#test/support/app/documents-app.ts'
import { Installation, type RunningServer } from './sluice.ts'

function write(sluice: Installation, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(sluice.directory, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
}

interface Change {
  readonly change: string
  readonly file: string
}

async function listed({ address, started }: RunningServer) {
  const headers = { authorization: `Bearer ${started.first_start!.api_key}` }
  const response = await fetch(`${address}/api/v1/documents?limit=200`, { headers })
  return ((await response.json()) as { data: { source_id: string; name: string; version: number }[] }).data
}

test('a folder and its changes reach the server: new, changed, touched, moved, deleted, ignored', async () => {
  await using sluice = new Installation()
  const server = await sluice.start(['--json'])
  const sync = ['sync', 'docs', '--source', 'docs', '--ignore', '*.tmp', '--ignore', '/drafts']
  const versions = async () => (await listed(server)).map(({ source_id: id, version }) => `${id} ${version}`).toSorted()
  const odd = 'new\nline "ä.txt'
  write(sluice, {
    'docs/a.txt': 'The old walrus.',
    'docs/deep/b.txt': 'A pangolin.',
    'docs/copy.txt': 'A pangolin.',
    [`docs/${odd}`]: 'An odd okapi.',
    'docs/x.tmp': 'Ignored.',
    'docs/drafts/y.txt': 'Ignored, too.',
  })
  symlinkSync('/etc', join(sluice.directory, 'docs/outside'))
  expect(await sluice.run(sync)).toMatchObject({ code: 0, stdout: '4 files: 4 completed\n' })
  expect(await versions()).toEqual(['a.txt 1', 'copy.txt 1', 'deep/b.txt 1', `${odd} 1`])

  write(sluice, { 'docs/a.txt': 'The new narwhal.' })
  renameSync(join(sluice.directory, 'docs/deep/b.txt'), join(sluice.directory, 'docs/c.txt'))
  rmSync(join(sluice.directory, 'docs', odd))
  utimesSync(join(sluice.directory, 'docs/copy.txt'), 1, 1)
  const planned = await sluice.json<Change[]>([...sync, '--dry-run'])
  const changes = planned.map(({ change, file }) => `${change} ${file}`)
  expect(changes.toSorted()).toEqual(['changed a.txt', `deleted ${odd}`, 'moved c.txt'])
  // Two at once do no harm to each other.
  const both = await Promise.all([sluice.run(sync), sluice.run(sync)])
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  expect(await versions()).toEqual(['a.txt 2', 'c.txt 1', 'copy.txt 1'])

  // An empty folder is more often one that is not there.
  renameSync(join(sluice.directory, 'docs'), join(sluice.directory, 'away'))
  mkdirSync(join(sluice.directory, 'docs'))
  expect(await sluice.run(sync)).toMatchObject({ code: 1 })
  expect(await versions()).toHaveLength(3)
})

test('a run that was killed is gone on with, and nothing is there twice; a watch sends what changes', async () => {
  await using sluice = new Installation()
  const server = await sluice.start(['--json'])
  const key = server.started.first_start!.api_key
  const flags = ['--source', 'docs', '--url', server.address, '--key', key]
  write(sluice, Object.fromEntries(Array.from({ length: 60 }, (_each, at) => [`docs/${at}.txt`, `Text number ${at}.`])))
  const killed = sluice.begin(['sync', 'docs', ...flags])
  await eventually(async () => (await listed(server)).length >= 5)
  killed.kill('SIGKILL')
  await killed.exited
  expect(await sluice.run(['sync', 'docs', ...flags])).toMatchObject({ code: 0 })
  const names = (await listed(server)).map(({ source_id: id }) => id)
  expect([names.length, new Set(names).size]).toEqual([60, 60])

  const watching = sluice.begin(['sync', 'docs', ...flags, '--watch', '--every', '0.2'])
  write(sluice, { 'docs/late.txt': 'Came late.' })
  rmSync(join(sluice.directory, 'docs/0.txt'))
  await eventually(async () => {
    const now = (await listed(server)).map(({ name }) => name)
    return now.includes('late.txt') && !now.includes('0.txt')
  })
  watching.kill('SIGTERM')
  expect(await watching.exited).toBe(0)
})
