/**
 * Mails of Outlook: the same head, body and attachments as of a mail in a text file, from properties that are streams
 * of a compound file. (MS-OXMSG 2024, MS-OXPROPS.)
 */
import { appendAttachments, type AttachedFile, checkDepth, type ReadAttachment } from '../attachments.ts'
import { appendHtml } from '../html/html.ts'
import { decodeText } from '../text/charset.ts'
import type { Reader, ReadRequest, Reading } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'
import { damagedCompound, openCompound, withinFile, type CompoundFile } from '../compound.ts'
import { unpackedRtf } from './packed-rtf.ts'

const property = {
  subject: '0037',
  sender: '0C1A',
  senderAddress: '5D01',
  senderOldAddress: '0C1F',
  to: '0E04',
  cc: '0E03',
  headers: '007D',
  text: '1000',
  html: '1013',
  rtf: '1009',
  data: '3701',
  longName: '3707',
  name: '3704',
  contentId: '3712',
}
const attachmentsMax = 200
const attachmentStorage = /^((?:.*\/)?__attach_version1\.0_#[0-9A-F]{8})\//
const windows = new TextDecoder('windows-1252')

/** A reader of Outlook's mails that reads what is attached by `readAttachment`. */
export function msgReader(readAttachment: ReadAttachment): Reader {
  return { name: 'msg', read: (request) => withinFile(() => readMsg(request, readAttachment)) }
}

async function readMsg(request: ReadRequest, readAttachment: ReadAttachment): Promise<Reading> {
  checkDepth(request)
  const { bytes, limits, mediaType } = request
  const file = openCompound(bytes, limits.unpackedBytesMax)
  if (!file.names.includes('__properties_version1.0')) throw damagedCompound()
  const builder = new TextBuilder(limits)
  const storages = attachmentsOf(file)
  if (storages.length > 0) builder.page()
  const subject = textOf(file, property.subject) ?? ''
  builder.paragraph(headOf(file, subject))
  await appendBody(builder, file, { request, readAttachment })
  const attached = storages.flatMap((storage) => attachmentOf(file, storage, builder))
  await appendAttachments(builder, attached, { request, readAttachment, filesMax: attachmentsMax })
  return builder.reading({ mediaType, title: subject })
}

function headOf(file: CompoundFile, subject: string): string {
  const name = textOf(file, property.sender) ?? ''
  const address = textOf(file, property.senderAddress) ?? textOf(file, property.senderOldAddress) ?? ''
  // Inside an organisation the address may be a path in its directory.
  const from = address.includes('@') && address !== name ? `${name} <${address}>`.trim() : name
  const date = /^Date: *(.{1,100})$/im.exec(textOf(file, property.headers) ?? '')?.[1] ?? sentAt(file)
  const fields: readonly (readonly [string, string])[] = [
    ['From', from],
    ['To', textOf(file, property.to) ?? ''],
    ['Cc', textOf(file, property.cc) ?? ''],
    ['Date', date],
    ['Subject', subject],
  ]
  return fields.flatMap(([field, value]) => (value.trim() === '' ? [] : [`${field}: ${value.trim()}`])).join('\n')
}

/** PidTagClientSubmitTime among the properties of fixed length: hundreds of nanoseconds since 1601. */
function sentAt(file: CompoundFile): string {
  const properties = file.read('__properties_version1.0') ?? Buffer.alloc(0)
  for (let at = 32; at + 16 <= properties.length; at += 16) {
    if (properties.readUInt32LE(at) !== 0x00390040) continue
    const ms = Number(properties.readBigUInt64LE(at + 8) / 10_000n) - 11_644_473_600_000
    return Math.abs(ms) < 8.64e15 ? new Date(ms).toUTCString() : ''
  }
  return ''
}

interface Reads {
  readonly request: ReadRequest
  readonly readAttachment: ReadAttachment
}

/** The plain body, which Outlook makes of the others; else HTML; else the compressed RTF. */
async function appendBody(builder: TextBuilder, file: CompoundFile, { request, readAttachment }: Reads): Promise<void> {
  const text = textOf(file, property.text)
  if (text !== null && text.trim() !== '') return builder.paragraph(text)
  const html = file.read(streamOf(property.html, '0102'))
  const markup = html === null ? textOf(file, property.html) : decodeText(html, { markup: true }).text
  if (markup !== null) {
    appendHtml(builder, markup)
    return
  }
  const packed = file.read(streamOf(property.rtf, '0102'))
  const rtf = packed === null ? null : unpackedRtf(packed, request.limits.unpackedBytesMax)
  if (rtf === null) return
  builder.append(await readAttachment({ bytes: rtf, name: 'body.rtf', reader: 'rtf', limits: request.limits }))
}

const streamOf = (id: string, kind: string, storage = ''): string => `${storage}__substg1.0_${id}${kind}`

/** A property that is a text, in UTF-16 or in bytes. */
function textOf(file: CompoundFile, id: string, storage = ''): string | null {
  const wide = file.read(streamOf(id, '001F', storage))
  if (wide !== null) return wide.toString('utf16le')
  const narrow = file.read(streamOf(id, '001E', storage))
  return narrow === null ? null : windows.decode(narrow)
}

/** The storages of the mail itself, not those of mails within it. */
function attachmentsOf({ names }: CompoundFile): string[] {
  const storages = names.map((name) => attachmentStorage.exec(name)?.[1]).filter((name) => name !== undefined)
  return [...new Set(storages)].filter((name) => !name.includes('/')).map((name) => `${name}/`)
}

/** Pictures within the text carry an id that the text names. */
function attachmentOf(file: CompoundFile, storage: string, builder: TextBuilder): AttachedFile[] {
  const name = textOf(file, property.longName, storage) ?? textOf(file, property.name, storage) ?? 'attachment'
  const bytes = file.read(streamOf(property.data, '0102', storage))
  if (bytes === null) {
    builder.warn(`The attachment ${name} was left out: it is a mail or an object within the mail.`)
    return []
  }
  const isInline = textOf(file, property.contentId, storage) !== null && /\.(?:png|jpe?g|gif|bmp)$/i.test(name)
  if (!isInline) return [{ name, bytes: () => bytes }]
  builder.warn('Pictures within the text of the mail were left out.')
  return []
}
