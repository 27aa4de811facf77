/**
 * Archives as one document: ZIP, 7z, TAR, also within gzip, single files within gzip, and mail boxes. Each file is a
 * page with its name in the archive.
 *
 * Names in archives are hostile: they are labels here, and nothing is written to a disk. Bombs end at the limits of
 * archive.ts and at `unpackedBytesMax`. (APPNOTE 6.3.10; POSIX.1-2017 pax; RFC 1952; RFC 4155.)
 */
import { gunzipSync } from 'node:zlib'
import { openArchive } from './archive.ts'
import { sevenZipFiles } from './packing/seven-zip.ts'
import { appendAttachments, checkDepth, type AttachedFile, type ReadAttachment } from './attachments.ts'
import { type Reader, ReadFailure, type ReadRequest, type Reading } from './reading.ts'
import { TextBuilder } from './text-builder.ts'

const filesMax = 10_000
const gzipStart = Buffer.from('1f8b', 'hex')
const sevenZipStart = Buffer.from('377abcaf271c', 'hex')
const blockBytes = 512
const lineThenMail = Buffer.from('\nFrom ')
const carriageReturn = 0x0d
const [ordinary, oldOrdinary, longName, pax, paxForAll] = ['0', '\0', 'L', 'x', 'g']

/** A reader of archives that reads what is in them by `readAttachment`. */
export function packedReader(readAttachment: ReadAttachment): Reader {
  return { name: 'archive', read: (request) => readPacked(request, readAttachment) }
}

async function readPacked(request: ReadRequest, readAttachment: ReadAttachment): Promise<Reading> {
  checkDepth(request)
  const all = filesIn(request)
  const files = all.filter(({ name }) => !isSystemFile(name))
  if (files.length === 0) throw new ReadFailure('no_text', 'The archive holds no files.')
  const builder = new TextBuilder(request.limits)
  const failure = await appendAttachments(builder, files, { request, readAttachment, filesMax })
  if (builder.length === 0) {
    throw new ReadFailure('no_text', `No file in the archive could be read. ${failure ?? ''}`)
  }
  return builder.reading({ mediaType: request.mediaType, title: null })
}

/** What systems put beside the files of their users. */
function isSystemFile(name: string): boolean {
  return /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\._[^/]*$|\.git\/)/i.test(name)
}

function filesIn({ bytes, name, mediaType, limits }: ReadRequest): AttachedFile[] {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (mediaType === 'application/mbox') return mailsIn(content)
  if (content.subarray(0, sevenZipStart.length).equals(sevenZipStart))
    return sevenZipFiles(content, limits.unpackedBytesMax)
  if (!content.subarray(0, 2).equals(gzipStart)) {
    return isTar(content) ? tarFiles(content) : zipFiles(bytes, limits.unpackedBytesMax)
  }
  const unpacked = gunzip(content, limits.unpackedBytesMax)
  if (isTar(unpacked)) return tarFiles(unpacked)
  return [{ name: name.replace(/\.t?gz$/i, ''), bytes: () => unpacked }]
}

function gunzip(content: Buffer, maxOutputLength: number): Buffer {
  try {
    return gunzipSync(content, { maxOutputLength })
  } catch (error) {
    const isTooLarge = error instanceof RangeError || (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
    if (isTooLarge) throw new ReadFailure('too_complex', 'The archive unpacks to more than is read. Divide it.', error)
    throw new ReadFailure('damaged', 'The archive is cut off or damaged. Pack it again.', error)
  }
}

function zipFiles(bytes: Uint8Array, unpackedBytesMax: number): AttachedFile[] {
  const archive = openArchive(bytes, unpackedBytesMax, (name) => name)
  return archive.names.map((name) => ({ name, bytes: () => archive.read(name) ?? new Uint8Array() }))
}

/** Whether a POSIX header begins the content. */
export function isTar(content: Buffer): boolean {
  return content.length >= blockBytes && content.toString('latin1', 257, 262) === 'ustar'
}

function tarFiles(content: Buffer): AttachedFile[] {
  const files: AttachedFile[] = []
  let named: string | null = null
  for (let at = 0; at + blockBytes <= content.length;) {
    const header = content.subarray(at, at + blockBytes)
    if (header[0] === 0) break
    const size = tarSize(header)
    const body = content.subarray(at + blockBytes, at + blockBytes + size)
    if (body.length < size) throw new ReadFailure('damaged', 'The archive is cut off. Pack it again.')
    const kind = header.toString('latin1', 156, 157)
    if (kind === longName) named = untilNul(body)
    else if (kind === pax) named = /^\d+ path=(.*)$/m.exec(body.subarray(0, 65_536).toString())?.[1] ?? named
    else if (kind !== paxForAll) {
      const name = named ?? tarName(header)
      named = null
      // Links and devices hold nothing of their own.
      if (kind === ordinary || kind === oldOrdinary) files.push({ name, bytes: () => body })
    }
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes
  }
  return files
}

function untilNul(bytes: Buffer): string {
  return bytes.toString('utf8').split('\0', 1)[0] ?? ''
}

function tarName(header: Buffer): string {
  const prefix = untilNul(header.subarray(345, 500))
  const name = untilNul(header.subarray(0, 100))
  return prefix === '' ? name : `${prefix}/${name}`
}

/** Octal digits; or, for large files, bytes after a first one of 0x80. */
function tarSize(header: Buffer): number {
  const isBinary = ((header[124] ?? 0) & 0x80) !== 0
  const size = isBinary
    ? header.readUIntBE(130, 6)
    : Number.parseInt(untilNul(header.subarray(124, 136)).trim() || '0', 8)
  if (!Number.isSafeInteger(size) || size < 0)
    throw new ReadFailure('damaged', 'The archive is damaged. Pack it again.')
  return size
}

/** RFC 4155: a line that begins with "From " after an empty one begins a mail. */
function mailsIn(content: Buffer): AttachedFile[] {
  const files: AttachedFile[] = []
  let start = 0
  for (const end of [...mailEnds(content), content.length]) {
    const mail = content.subarray(start, end)
    files.push({ name: `mail ${files.length + 1}`, bytes: () => mail, isMail: true })
    start = end
  }
  return files
}

/** Looks at each byte once, whatever ends the lines. */
function* mailEnds(content: Buffer): Generator<number> {
  for (let at = content.indexOf(lineThenMail); at >= 0; at = content.indexOf(lineThenMail, at + 1)) {
    const before = content[at - 1] === carriageReturn ? at - 2 : at - 1
    if (content[before] === lineThenMail[0]) yield at + 1
  }
}
