/**
 * Makes what a release consists of in `dist/release`: an archive for each system with the binary, the license and the
 * systemd unit; the chart; a list of parts (CycloneDX); the section of the changelog; and the checksums of all of it.
 * `--target linux-x64` makes one system only. Fails when the changelog has nothing about the version.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { version } from '../package.json' with { type: 'json' }
import { binaryTargets, buildBinary } from './build-binary.ts'
import { cycloneDx, type Lockfile } from './cyclone-dx.ts'

const root = join(import.meta.dir, '..')

/** The changelog's section of a version, without its heading; null when it has none. */
export function changesOf(changelog: string, released: string): string | null {
  const [, section] = changelog.split(new RegExp(`^## \\[${released.replaceAll('.', '\\.')}\\].*$`, 'm'))
  return section?.split(/^## \[/m)[0]?.trim() ?? null
}

/** Writes everything to `out`, which is emptied before. */
export async function makeRelease(targets: readonly string[], out: string): Promise<void> {
  const changes = changesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)
  if (changes === null || changes === '') throw new Error(`CHANGELOG.md has no section about ${version}.`)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  for (const target of targets) await archiveBinary(target, out)
  await tar(join(out, `sluice-chart-${version}.tgz`), join(root, 'deploy'), 'helm')
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lockfile
  writeFileSync(join(out, 'sluice.cdx.json'), `${JSON.stringify(cycloneDx(lock, version), null, 2)}\n`)
  writeFileSync(join(out, 'CHANGES.md'), `${changes}\n`)
  writeFileSync(join(out, 'SHA256SUMS'), await checksums(out))
}

async function archiveBinary(target: string, out: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'sluice-release-'))
  const name = `sluice-${version}-${target}`
  try {
    await buildBinary({ target, out: join(work, name, 'sluice') })
    for (const file of ['LICENSE', 'README.md', 'sluice.example.yaml', 'deploy/systemd/sluice.service'])
      cpSync(join(root, file), join(work, name, file.split('/').at(-1) ?? file))
    await tar(join(out, `${name}.tar.gz`), work, name)
  } finally {
    rmSync(work, { recursive: true })
  }
}

/** The same bytes each time for the same files: no names, times or order of this machine. */
async function tar(archive: string, folder: string, name: string): Promise<void> {
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0']
  const child = Bun.spawn([
    'tar',
    '--create',
    ...same,
    '--use-compress-program=gzip -n',
    '--file',
    archive,
    '-C',
    folder,
    name,
  ])
  if ((await child.exited) !== 0) throw new Error(`tar failed for ${archive}`)
}

/** As sha256sum writes and checks them. */
async function checksums(folder: string): Promise<string> {
  const names = [...new Bun.Glob('*').scanSync(folder)].toSorted((one, other) => (one < other ? -1 : 1))
  const lines = names.map(async (name) => {
    const hash = new Bun.CryptoHasher('sha256')
    for await (const piece of Bun.file(join(folder, name)).stream()) hash.update(piece)
    return `${hash.digest('hex')}  ${name}\n`
  })
  return (await Promise.all(lines)).join('')
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { target: { type: 'string', multiple: true } } })
  const out = join(root, 'dist/release')
  await makeRelease(values.target ?? binaryTargets, out)
  console.log(readFileSync(join(out, 'SHA256SUMS'), 'utf8').trimEnd())
}
