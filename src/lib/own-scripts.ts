/**
 * The scripts of Sluice that run on a thread or in a process of their own, found in both forms in which Sluice comes:
 * as source, where each is a file, and as one binary, which carries them all.
 *
 * Invariant: whatever starts a script names it here, so the binary never lacks one (`own-scripts.test.ts`).
 */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Paths below `src`. `scripts/build-binary.ts` makes each an entry of the binary. */
export const ownScripts = [
  'cli/start/workers/worker-process.ts',
  'documents/embedders/hashing/hashing-thread.ts',
  'documents/embedders/local-embedder-worker.ts',
  'documents/reading/reading-process.ts',
  'gateway/content/content-thread.ts',
  'lib/tokens/token-thread.ts',
  'pricing/catalogue/catalogue-worker.ts',
  'store/documents/thread/document-worker.ts',
  'store/usage/usage-worker.ts',
] as const

export type OwnScript = (typeof ownScripts)[number]

/** True in the binary: the runtime keeps what is embedded under this address. */
export const inBinary = import.meta.url.startsWith('file:///$bunfs/')

/** Argument that makes the binary run one of its scripts instead of the command line. */
const scriptFlag = '--run-own-script'

/** Where a script is, for a thread that runs it. */
export function ownScript(name: OwnScript): URL {
  return inBinary
    ? new URL(`./src/${name.replace(/\.ts$/, '.js')}`, import.meta.url)
    : new URL(`../${name}`, import.meta.url)
}

/** What starts a process that runs this script: a path, or the place of one of ours. The process reads no `.env` file. */
export function scriptCommand(script: string | URL): readonly string[] {
  const path = script instanceof URL ? fileURLToPath(script) : script
  return [process.execPath, inBinary ? scriptFlag : '--no-env-file', path]
}

/** The script that these arguments of the binary ask for; null when they are meant for the command line. */
export function scriptAsked([flag, path]: readonly string[]): string | null {
  if (!inBinary || flag !== scriptFlag || path === undefined) return null
  const isOwn = ownScripts.some((name) => fileURLToPath(ownScript(name)) === path)
  return isOwn ? path : null
}

/**
 * Imports a package that Sluice does not bring along and that an administrator has installed: beside the source, or in the
 * folder of the binary. Rejects with the code ERR_MODULE_NOT_FOUND when it is not there.
 */
export async function importPackage(name: string): Promise<unknown> {
  return await import(inBinary ? Bun.resolveSync(name, dirname(process.execPath)) : name)
}

/** Where a file of such a package is, as `<package>/<path>`; null when it is not there. */
export function packagePath(file: string): string | null {
  try {
    return Bun.resolveSync(file, inBinary ? dirname(process.execPath) : import.meta.dir)
  } catch {
    return null
  }
}
