/**
 * The built files of the web console in memory. They are read once: what is served never changes
 * under a running process, and a request never waits for a disk.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { inBinary } from '#lib/own-scripts.ts'

/** One file, in each encoding that the build made of it. */
export interface ConsoleFile {
  readonly mediaType: string
  /** Strong validator of the content; the encodings get a suffix. */
  readonly digest: string
  readonly identity: Uint8Array<ArrayBuffer>
  readonly br: Uint8Array<ArrayBuffer> | null
  readonly gzip: Uint8Array<ArrayBuffer> | null
}

/** Files by their path on the server, which begins with a slash. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>

/** Where `npm run build:ui` writes, or what the binary carries of it. */
export const builtConsole = inBinary ? join(import.meta.dir, 'dist') : join(import.meta.dir, '../../ui/dist')

/** The page that every address of the console gets. */
export const consolePage = '/index.html'

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}

/** All files of a built console; null when the folder holds none. */
export function readConsoleFiles(directory: string): ConsoleFiles | null {
  if (!existsSync(join(directory, consolePage))) return null
  const files = new Map<string, ConsoleFile>()
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const mediaType = mediaTypes[extname(entry.name)]
    if (!entry.isFile() || mediaType === undefined) continue
    const path = join(entry.parentPath, entry.name)
    const identity = read(path)
    files.set(path.slice(directory.length).replaceAll('\\', '/'), {
      mediaType,
      digest: Bun.SHA256.hash(identity, 'base64url').slice(0, 22),
      identity,
      br: readIfThere(`${path}.br`),
      gzip: readIfThere(`${path}.gz`),
    })
  }
  return files
}

function read(path: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(path))
}

function readIfThere(path: string): Uint8Array<ArrayBuffer> | null {
  return existsSync(path) ? read(path) : null
}
