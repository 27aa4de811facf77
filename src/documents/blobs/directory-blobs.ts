/**
 * Blobs in a directory: `<first two characters of the id>/<id>.<sha256>`. A file `place` holds the name of the directory,
 * by which processes find out whether they share it, whatever its path is on their machines.
 */
import { copyFile, link, mkdir, readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eachOf } from '#lib/each-of.ts'
import { BlobMissing, type BlobAddress, type BlobStore } from './blob-store.ts'
import { makeDurable } from './make-durable.ts'

const movedAtOnce = 8

/** Nothing is made below `root` before it is needed. */
export function directoryBlobs(root: string): BlobStore {
  const folderOf = (id: string): string => join(root, id.slice(0, 2))
  const pathOf = ({ id, sha256 }: BlobAddress): string => join(folderOf(id), `${id}.${sha256}`)

  let place: Promise<string> | null = null

  return {
    async place() {
      place ??= placeOf(root)
      try {
        return await place
      } catch (thrown) {
        place = null
        throw thrown
      }
    },
    async put(received) {
      const folders = new Set(received.map(({ id }) => folderOf(id)))
      let areNew = false
      for (const folder of folders)
        if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) areNew = true
      // First the bytes: a name that survives a power cut never leads to half a file.
      await makeDurable(received.map(({ path }) => path))
      await eachOf(received, movedAtOnce, (blob) => move(blob.path, pathOf(blob)))
      await makeDurable([...folders, ...(areNew ? [root] : [])])
      return 'moved'
    },
    async open(address) {
      const path = pathOf(address)
      const found = await stat(path).catch(nullIfMissing)
      if (found === null) throw new BlobMissing('The stored bytes of this document are gone. Import it again.')
      return { path, [Symbol.asyncDispose]: () => Promise.resolve() }
    },
    remove: async (address) => void (await unlink(pathOf(address)).catch(nullIfMissing)),
    async listOf(id) {
      const addresses = (await entries(folderOf(id))).map(addressOf)
      return addresses.filter((address): address is BlobAddress => address?.id === id)
    },
    async *list() {
      for (const folder of await entries(root)) {
        for (const name of await entries(join(root, folder))) {
          const address = addressOf(name)
          if (address !== null) yield address
        }
      }
    },
  }
}

/** The name in the directory, which the first process that asks has chosen. */
async function placeOf(root: string): Promise<string> {
  const path = join(root, 'place')
  const known = await readFile(path, 'utf8').catch(nullIfMissing)
  if (known !== null) return known
  await mkdir(root, { recursive: true, mode: 0o700 })
  const draft = join(root, `place.${crypto.randomUUID()}`)
  await writeFile(draft, `directory:${crypto.randomUUID()}`, { flag: 'wx', mode: 0o600, flush: true })
  try {
    // When several processes do this at once, one succeeds.
    await link(draft, path).catch((thrown: unknown) => nullIfMissing(thrown, 'EEXIST'))
  } finally {
    await unlink(draft)
  }
  await makeDurable([root])
  return readFile(path, 'utf8')
}

/** A file that was interrupted while it was copied has another name than a blob. */
function addressOf(name: string): BlobAddress | null {
  const [, id, sha256] = /^([^.]+)\.([0-9a-f]{64})$/.exec(name) ?? []
  return id === undefined || sha256 === undefined ? null : { id, sha256 }
}

async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (thrown) {
    const found = nullIfMissing(thrown, 'EXDEV')
    // Moved before, or the spool lies on another disk.
    if (found === null && (await stat(from).catch(nullIfMissing)) === null) return
    const copy = `${to}.incoming`
    await copyFile(from, copy)
    await makeDurable([copy])
    await rename(copy, to)
    await unlink(from)
  }
}

async function entries(path: string): Promise<readonly string[]> {
  return (await readdir(path).catch(nullIfMissing)) ?? []
}

function nullIfMissing(thrown: unknown, alsoCode?: string): null {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === alsoCode) return null
  throw thrown
}
