/** What `npm run release` makes, without the binaries, which test/binary builds. */
import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dependencies, version } from '../../package.json' with { type: 'json' }
import { changesOf, makeRelease } from '../../scripts/release.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-release-test-'))

test('a release has checksums of all its files, its changes, and a list of parts with each dependency', async () => {
  await makeRelease([], folder)
  const names = readdirSync(folder).toSorted((one, other) => (one < other ? -1 : 1))
  expect(names).toEqual(['CHANGES.md', 'SHA256SUMS', 'sluice-chart-0.1.0.tgz', 'sluice.cdx.json'])
  const check = Bun.spawn(['sha256sum', '--check', '--strict', 'SHA256SUMS'], { cwd: folder, stdout: 'pipe' })
  expect((await check.stdout.text()).split('\n').filter((line) => line.endsWith(': OK'))).toHaveLength(3)
  expect(await check.exited).toBe(0)

  const { components, specVersion } = JSON.parse(readFileSync(join(folder, 'sluice.cdx.json'), 'utf8')) as {
    readonly specVersion: string
    readonly components: readonly { readonly name: string; readonly version: string; readonly purl: string }[]
  }
  expect(specVersion).toBe('1.6')
  for (const [name, wanted] of Object.entries(dependencies))
    expect(components).toContainEqual(expect.objectContaining({ name, version: wanted }))
  expect(components.map(({ name }) => name)).not.toContain('oxlint')
  expect(new Set(components.map(({ purl }) => purl)).size).toBe(components.length)
  const first = readFileSync(join(folder, 'SHA256SUMS'), 'utf8')
  await makeRelease([], folder)
  expect(readFileSync(join(folder, 'SHA256SUMS'), 'utf8')).toBe(first)
  rmSync(folder, { recursive: true })
})

test('the changes of a version are its section and nothing of the next', () => {
  const changelog = '# Changelog\n\n## [1.10.0] - today\n\nnew\n\n## [1.1.0] - before\n\nold\n'
  expect(changesOf(changelog, '1.10.0')).toBe('new')
  expect(changesOf(changelog, '1.1.0')).toBe('old')
  expect(changesOf(changelog, '1.1')).toBeNull()
  expect(changesOf(readFileSync(join(import.meta.dir, '../../CHANGELOG.md'), 'utf8'), version)).not.toBeNull()
})
