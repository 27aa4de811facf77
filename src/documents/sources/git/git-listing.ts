/**
 * Files of a branch of a Git repository by smart HTTP (https://git-scm.com/docs/protocol-v2). The newest commit is asked for with
 * its folders and without its files (a partial clone of depth 1), and then each file that is new or has changed by the id of its
 * content. So no copy of the repository is kept, and a file that was moved is known by its id.
 */
import type { Secret } from '#lib/secret.ts'
import type { SourceClient, SourceRequest } from '../../web/source-client.ts'
import { SourceFailure } from '../../web/source-failure.ts'
import { filesMax, type ListedFile, type SourceListing } from '../listing.ts'
import { blobIn, objectsIn, type PackedObject } from './pack.ts'
import { delimiterPacket, flushPacket, lineOf, malformed, packet, packetsOf, packOf } from './packets.ts'

export interface GitPlace {
  /** The address of the repository, as `git clone` takes it. */
  readonly url: URL
  /** `user:password` or `user:token`. */
  readonly credential: Secret | null
  /** The branch of HEAD when null. */
  readonly branch: string | null
  /** Only files below this folder; all of them when empty. */
  readonly path: string
}

const answerBytesMax = 16 * 1024 * 1024
const packBytesMax = 64 * 1024 * 1024
const treeBounds = { objectBytesMax: 4 * 1024 * 1024, bytesMax: 256 * 1024 * 1024 }
const idLength = 20
const foldersDeep = 256

export function gitListing(place: GitPlace, client: SourceClient): SourceListing {
  const { credential, branch, path } = place
  const headers: Readonly<Record<string, string>> = {
    'git-protocol': 'version=2',
    ...(credential !== null && { authorization: `Basic ${Buffer.from(credential.reveal()).toString('base64')}` }),
  }
  const command = (name: string, lines: readonly string[]): Omit<SourceRequest, 'signal'> => ({
    method: 'POST',
    url: below(place.url, 'git-upload-pack'),
    headers: {
      ...headers,
      'content-type': 'application/x-git-upload-pack-request',
      accept: 'application/x-git-upload-pack-result',
    },
    body: packet(`command=${name}`) + delimiterPacket + lines.map(packet).join('') + flushPacket,
  })
  const fetching = (id: string, more: readonly string[]) =>
    command('fetch', ['no-progress', `want ${id}`, ...more, 'done'])
  return {
    versionIsContent: true,
    requestFor: ({ version }) => fetching(version, []),
    contentOf: (pieces) => blobIn(packOf(pieces)),
    async *list(signal) {
      await checkServer(client, { url: below(place.url, 'info/refs?service=git-upload-pack'), headers, signal })
      const prefix = branch === null ? 'HEAD' : `refs/heads/${branch}`
      const refs = await client.whole({ ...command('ls-refs', [`ref-prefix ${prefix}`]), signal }, answerBytesMax)
      const commit = await commitIn(refs, prefix)
      const request = { ...fetching(commit, ['deepen 1', 'filter blob:none']), signal }
      const answer = await client.whole(request, packBytesMax)
      const pack = Buffer.concat(await Array.fromAsync(packOf(piecesOf(answer))))
      yield* filesIn(await objectsIn(pack, treeBounds), { commit, path, url: place.url })
    },
  }
}

function below(repository: URL, rest: string): URL {
  const [path = '', search = ''] = rest.split('?')
  const url = new URL(repository)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  url.search = search
  return url
}

async function* piecesOf(whole: Buffer): AsyncGenerator<Uint8Array, void> {
  yield whole
}

async function checkServer(client: SourceClient, request: SourceRequest): Promise<void> {
  const answer = await client.whole(request, answerBytesMax)
  const lines = (await Array.fromAsync(packetsOf(piecesOf(answer)))).map(lineOf)
  if (!lines.includes('version 2')) throw malformed()
  if (!lines.some((line) => line.startsWith('fetch=') && line.slice('fetch='.length).split(' ').includes('filter')))
    throw new SourceFailure(
      `${request.url.host} does not offer partial clones. Allow them there (uploadpack.allowFilter), or clone the repository and use sluice sync.`,
    )
  if (lines.some((line) => line.startsWith('object-format=') && line !== 'object-format=sha1'))
    throw new SourceFailure('Repositories with SHA-256 ids are not read. Clone the repository and use sluice sync.')
}

async function commitIn(answer: Buffer, name: string): Promise<string> {
  const lines = (await Array.fromAsync(packetsOf(piecesOf(answer)))).map(lineOf)
  const found = lines.map((line) => line.split(' ')).find(([, ref]) => ref === name)
  const [id = ''] = found ?? []
  if (/^[0-9a-f]{40}$/.test(id)) return id
  throw new SourceFailure(
    name === 'HEAD' ? 'The repository has no commits.' : `There is no branch ${name.slice('refs/heads/'.length)}.`,
  )
}

interface Walk {
  readonly commit: string
  readonly path: string
  readonly url: URL
}

/** All files below the path. Links and other repositories within this one are left out. */
function* filesIn(
  objects: ReadonlyMap<string, PackedObject>,
  { commit, path, url }: Walk,
): Generator<ListedFile, void> {
  const treeOf = (id: string): Buffer => {
    const object = objects.get(id)
    if (object?.type !== 'tree') throw malformed()
    return object.data
  }
  const root = /^tree ([0-9a-f]{40})\n/.exec(objects.get(commit)?.data.toString('latin1') ?? '')?.[1]
  if (root === undefined) throw malformed()
  let start: string = root
  for (const folder of path.split('/').filter((part) => part !== '')) {
    const entry = [...entriesOf(treeOf(start))].find(({ name, isFolder }) => isFolder && name === folder)
    if (entry === undefined) throw new SourceFailure(`There is no folder ${path} on this branch.`)
    start = entry.id
  }
  const folders = [{ id: start, within: '', depth: 0 }]
  let entries = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (folder.depth > foldersDeep) throw malformed()
    for (const { name, id, isFolder, isFile } of entriesOf(treeOf(folder.id))) {
      // One folder may be in a tree many times, and the same within it.
      if ((entries += 1) > 2 * filesMax) throw new SourceFailure(`The source has more than ${filesMax} files.`)
      const file = folder.within + name
      if (isFolder) folders.push({ id, within: `${file}/`, depth: folder.depth + 1 })
      else if (isFile) yield { id: file, name: file, version: id, bytes: null, url }
    }
  }
}

interface TreeEntry {
  readonly name: string
  readonly id: string
  readonly isFolder: boolean
  readonly isFile: boolean
}

/** Mode, space, name, NUL, and the id in twenty bytes. */
function* entriesOf(tree: Buffer): Generator<TreeEntry, void> {
  for (let at = 0; at < tree.byteLength;) {
    const space = tree.indexOf(0x20, at)
    const end = space < 0 ? -1 : tree.indexOf(0, space)
    if (end < 0 || end + 1 + idLength > tree.byteLength) throw malformed()
    const mode = tree.toString('latin1', at, space)
    const name = tree.toString('utf8', space + 1, end)
    if (name === '' || name === '.' || name === '..' || name.includes('/')) throw malformed()
    at = end + 1 + idLength
    const id = tree.toString('hex', end + 1, at)
    yield { name, id, isFolder: mode === '40000', isFile: mode.startsWith('100') }
  }
}
