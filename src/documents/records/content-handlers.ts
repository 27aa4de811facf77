/** The handlers about what a document holds: a part of its text, a page of it as text or as a picture, the file itself. */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import { fileAnswer } from '#http/file-answer.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import { ReadFailure } from '#readers/reading.ts'
import type { Place, StretchOfDocument } from '#store/documents/document-chunks.ts'
import { BlobMissing } from '../blobs/blob-store.ts'
import type { Documents } from '../documents.ts'
import { ReadingStopped } from '../reading/reading-child.ts'
import { viewerOf } from '../owners.ts'
import { found } from './document-handlers.ts'
import { sliceOfChunks } from './text-of-chunks.ts'

/** Most code points of an answer, and most chunks that are read for it. */
const charactersMax = 250_000
const chunksMax = 300

const offset = (what: string) => z.coerce.number('expected a number').int().min(0).describe(what)

/** A stretch of a document's text. */
export const textQuery = z.strictObject({
  start: offset('First code point of the text').default(0),
  end: offset('The one behind the last; at the end of the text when left out').optional(),
})

export const textAnswer = z.strictObject({
  doc_id: z.string(),
  start: z.int().describe('In Unicode code points, as the offsets of chunks and hits'),
  end: z.int(),
  length: z.int().describe('Of the whole text'),
  text: z.string(),
  next: z.int().nullable().describe('Send it as `start` for the rest of what was asked for; null when this is all'),
})

export const pageAnswer = textAnswer.extend({
  page: z.int(),
  label: z.string().nullable().describe('Name of a sheet or an attachment'),
  pages: z.int().describe('Pages of the document that have text'),
})

/** Part of the text that the picture is to mark. */
export const pictureQuery = z.strictObject({
  start: offset('First code point of a passage that the picture marks').optional(),
  end: offset('The one behind its last').optional(),
})

type Offsets = z.output<typeof pictureQuery>

/** The text between two offsets, which are those of chunks and hits. */
export async function getText(
  documents: Documents,
  caller: Caller,
  { id, start = 0, end = Number.MAX_SAFE_INTEGER }: { readonly id: string } & Offsets,
): Promise<z.input<typeof textAnswer>> {
  return textOf(await stretch(documents, caller, id, { start, end }))
}

/** One page, slide, sheet or attachment as text. Answers 404 for a page that is not there. */
export async function getPage(
  documents: Documents,
  caller: Caller,
  { id, page }: { readonly id: string; readonly page: number },
): Promise<z.input<typeof pageAnswer>> {
  const onPage = await stretch(documents, caller, id, { page })
  const { number, label } = pageIn(onPage)
  return { ...textOf(onPage), page: number, label, pages: onPage.pages }
}

/** Most pixels of the picture of a page: it is sharp across the width of a screen. */
const pixelsMax = 2_000_000
/** A longer passage than this fills the page. */
const passageMax = 20_000

/** A page of a PDF as a PNG, with a passage marked. Answers 404 when the document has no pages to draw. */
export async function getPagePicture(
  documents: Documents,
  context: RequestContext,
  caller: Caller,
  { id, page, ...passage }: { readonly id: string; readonly page: number } & Offsets,
): Promise<Response> {
  const onPage = await stretch(documents, caller, id, { page })
  pageIn(onPage)
  if (onPage.mediaType !== 'application/pdf')
    throw new ApiError('not_found', {
      message: 'Only pages of PDF files have pictures. Read the page as text instead.',
    })
  const start = Math.max(passage.start ?? onPage.start, onPage.start)
  const end = Math.min(passage.end ?? onPage.start, onPage.end, start + passageMax)
  const marked =
    start < end ? sliceOfChunks((await stretch(documents, caller, id, { start, end })).chunks, { start, end }) : ''
  await using blob = await openFile(documents, onPage)
  const picture = await drawn(documents.drawPage({ file: blob.path, page, pixelsMax, passage: marked }, context.signal))
  return context.respond(picture, { status: 200, headers: { 'content-type': 'image/png', ...passive } })
}

/** The file as it was imported, of the version that searches find. */
export async function getFile(
  documents: Documents,
  context: RequestContext,
  caller: Caller,
  id: string,
): Promise<Response> {
  const version = await stretch(documents, caller, id, { start: 0, end: 0 })
  const headers = {
    'content-type': version.mediaType ?? 'application/octet-stream',
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(baseName(version.name).toWellFormed())}`,
    ...passive,
  }
  return fileAnswer(context, await openFile(documents, version), headers, version.sha256)
}

/** What others have written never acts in the browser of whom it is shown to. */
const passive = { 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'; sandbox" }

async function stretch({ store }: Documents, caller: Caller, id: string, place: Place): Promise<StretchOfDocument> {
  const viewer = viewerOf(caller)
  const content = await store.stretch(id, viewer, { place, chunksMax })
  if (content !== null) return content
  found(await store.get(id, viewer))
  throw new ApiError('not_found', { message: 'This document has no text yet: its state says how far it is.' })
}

function textOf({ id, start, end: asked, length, chunks }: StretchOfDocument): z.input<typeof textAnswer> {
  const end = Math.min(asked, start + charactersMax, chunks.at(-1)?.end ?? start)
  const text = sliceOfChunks(chunks, { start, end })
  return { doc_id: id, start, end, length, text, next: end < asked ? end : null }
}

function pageIn({ page, pages }: StretchOfDocument): NonNullable<StretchOfDocument['page']> {
  if (page !== null) return page
  const message =
    pages === 0
      ? 'This document has no pages. Read its text instead.'
      : `This document has no text on a page of this number; it has ${pages} pages with text.`
  throw new ApiError('not_found', { message })
}

async function openFile({ blobs }: Documents, { id, sha256 }: StretchOfDocument) {
  try {
    return await blobs.open({ id, sha256 })
  } catch (thrown) {
    if (!(thrown instanceof BlobMissing)) throw thrown
    throw new ApiError('not_found', {
      message: 'The stored file is not there any more. Import it again.',
      cause: thrown,
    })
  }
}

async function drawn(picture: Promise<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await picture
  } catch (thrown) {
    if (thrown instanceof ReadFailure) throw new ApiError('not_found', { message: thrown.message, cause: thrown })
    if (thrown instanceof ReadingStopped) throw new ApiError('overloaded', { cause: thrown })
    throw thrown
  }
}

function baseName(name: string): string {
  return name.split(/[/\\]/).at(-1) || 'document'
}
