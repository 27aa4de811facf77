/**
 * Reads mails: the headers that a reader of mail sees, the body, and what is attached.
 *
 * Attachments are read by the readers of their own formats, which the table of readers hands in as a function; each
 * begins a page that bears its name. Invariant: an attachment that cannot be read costs a warning, never the mail.
 */
import PostalMime from 'postal-mime'
import type { Address, Attachment, Email } from 'postal-mime'
import { appendAttachments, checkDepth, type ReadAttachment } from './attachments.ts'
import { appendHtml } from './html/html.ts'
import { ReadFailure } from './reading.ts'
import type { Reader, Reading, ReadLimits, ReadRequest } from './reading.ts'
import { TextBuilder } from './text-builder.ts'

const mailType = 'message/rfc822'
const mostAttachments = 200
const deepestPart = 100
/** Share of the words of the HTML body that the plain one must have to be read in its place. */
const saysTheSame = 0.9

/** A reader of mails that reads what is attached by `readAttachment`. */
export function emlReader(readAttachment: ReadAttachment): Reader {
  return {
    name: 'eml',
    read: (request) => readMail(request, readAttachment),
  }
}

async function readMail(request: ReadRequest, readAttachment: ReadAttachment): Promise<Reading> {
  checkDepth(request)
  const email = await parse(request.bytes)
  const builder = new TextBuilder(request.limits)
  const attached = email.attachments.filter((attachment) => !isInlinePicture(attachment))
  if (attached.length < email.attachments.length) builder.warn('Pictures within the text of the mail were left out.')
  if (attached.length > 0) builder.page()
  builder.paragraph(headersOf(email))
  appendBody(builder, email, request.limits)
  const files = attached.map((attachment, at) => ({
    name: attachment.filename ?? `attachment ${at + 1}`,
    bytes: () => bytesOf(attachment),
    isMail: attachment.mimeType === mailType,
  }))
  await appendAttachments(builder, files, { request, readAttachment, filesMax: mostAttachments })
  return builder.reading({ mediaType: request.mediaType, title: email.subject ?? null })
}

async function parse(bytes: Uint8Array): Promise<Email> {
  let email: Email
  try {
    email = await PostalMime.parse(withoutEnvelope(bytes), {
      forceRfc822Attachments: true,
      maxNestingDepth: deepestPart,
    })
  } catch (error) {
    throw new ReadFailure('too_complex', 'The mail is nested too deeply or its headers are too long.', error)
  }
  if (email.from === undefined && email.subject === undefined && email.date === undefined) {
    throw new ReadFailure('damaged', 'The file is not a mail: it has no sender, date or subject.')
  }
  return email
}

/** Mail boxes put a line without a colon before the headers. */
function withoutEnvelope(bytes: Uint8Array): Uint8Array {
  if (Buffer.from(bytes.subarray(0, 5)).toString('latin1') !== 'From ') return bytes
  const end = bytes.indexOf(0x0a)
  return end < 0 ? bytes : bytes.subarray(end + 1)
}

function isInlinePicture(attachment: Attachment): boolean {
  return (
    attachment.mimeType.startsWith('image/') && (attachment.related === true || attachment.disposition === 'inline')
  )
}

function headersOf(email: Email): string {
  const lines = [
    ['From', email.from === undefined ? '' : addressOf(email.from)],
    ['To', (email.to ?? []).map(addressOf).join(', ')],
    ['Cc', (email.cc ?? []).map(addressOf).join(', ')],
    // As it was written, with the sender's time zone.
    ['Date', email.headers.find(({ key }) => key === 'date')?.value ?? ''],
    ['Subject', email.subject ?? ''],
  ] as const
  return lines.flatMap(([name, value]) => (value.trim() === '' ? [] : [`${name}: ${value.trim()}`])).join('\n')
}

function addressOf({ name, address, group }: Address): string {
  if (group !== undefined) return `${name}: ${group.map(addressOf).join(', ')}`
  return name === '' || name === address ? (address ?? '') : `${name} <${address ?? ''}>`
}

/** The plain body when it says what the HTML one says, since the writer's program laid it out for reading. */
function appendBody(builder: TextBuilder, { html, text }: Email, limits: ReadLimits): void {
  if (html === undefined) {
    builder.paragraph(text ?? '')
    return
  }
  const page = new TextBuilder(limits)
  appendHtml(page, html)
  const read = page.length === 0 ? null : page.reading({ mediaType: 'text/html', title: null })
  if (read === null || (text !== undefined && holds(text, read.text))) builder.paragraph(text ?? '')
  else builder.append(read)
}

function holds(text: string, other: string): boolean {
  const wordsOf = (of: string): string[] => of.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const words = new Set(wordsOf(text))
  const wanted = wordsOf(other)
  return wanted.filter((word) => words.has(word)).length >= saysTheSame * wanted.length
}

function bytesOf({ content }: Attachment): Uint8Array {
  if (typeof content === 'string') return new TextEncoder().encode(content)
  return content instanceof Uint8Array ? content : new Uint8Array(content)
}
