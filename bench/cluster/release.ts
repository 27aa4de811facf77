/** The version before the working tree: taken from git and installed on its own, as its users have it. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { outputOf, root } from '../processes.ts'

/** Stands for the last release until a version has a tag: it lacks five steps of the schema that came after it. */
const untagged = '911bf952799b12e0943af926007e9b9e82077e64'

/** The newest tag of a version, or the revision in its place; null where this clone does not have it. */
export async function lastRelease(): Promise<string | null> {
  const git = (...args: readonly string[]): Promise<string | null> =>
    outputOf(['git', '-C', root, ...args]).then(
      (text) => text.trim(),
      () => null,
    )
  const tag = await git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*')
  return tag ?? ((await git('cat-file', '-e', `${untagged}^{commit}`)) === null ? null : untagged)
}

/** Unpacks a revision into the folder with its own packages; the program that starts it. */
export async function installRelease(revision: string, folder: string): Promise<string> {
  const place = join(folder, 'release')
  mkdirSync(place)
  const archive = join(folder, 'release.tar')
  await outputOf(['git', '-C', root, 'archive', '--output', archive, revision])
  await outputOf(['tar', '--extract', '--file', archive, '--directory', place])
  // Its own lock file: what runs is what was released. No script of a package but that of the runtime is needed.
  await outputOf(['npm', 'ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', '--prefix', place])
  return join(place, 'bin/sluice')
}
