/** The body of POST /api/v1/documents: its schema, and the import that it asks for. */
import { z } from 'zod'
import type { Received } from '../blobs/blob-store.ts'
import type { ItemContent } from './item-content.ts'

/** A name, or a name with options; the options are checked by components.ts. */
const component = z
  .union([z.string().min(1).max(200), z.looseObject({ name: z.string().min(1).max(200) }), z.null()])
  .optional()

/** One line of text: what is shown in lists and stored as it is. */
const line = z.string().regex(/^[^\p{Cc}]{1,255}$/u, 'expected 1 to 255 characters on one line')

/** Lists and names alike; PostgreSQL cannot store a NUL. */
const owner = z.string().regex(/^[^\p{Cc}]{1,254}$/u, 'expected a user id, an e-mail address, group:<name> or everyone')

const owners = z.union([owner, z.array(owner).min(1).max(100), z.null()]).optional()
const count = z.int('expected a whole number').max(1_000_000_000).nullish()

export const fileItem = z
  .strictObject({
    name: z
      .string()
      .min(1, 'expected a name')
      .max(1000, 'expected at most 1000 characters')
      .describe('Shown to people; not trusted for what the content is'),
    bytes: z.string().nullish().describe('The content in base64, or the text itself; this or `path`'),
    encoding: z.enum(['base64', 'utf-8']).nullish().describe('What `bytes` is, when it must not be guessed'),
    category: line,
    path: z
      .string()
      .max(4096)
      .nullish()
      .describe('A file of the server, below one of documents.import_roots; this or `bytes`'),
    doc_id: z
      .uuid('expected an id (UUID)')
      .transform((id) => id.toLowerCase())
      .nullish()
      .describe('Chosen by the server when left out'),
    owners: owners.describe('User ids, e-mail addresses, group:<name> or everyone; the importing user when left out'),
  })
  .meta({ id: 'FileItem' })

const options = {
  reader: component.describe('A name, or an object with a name and options; GET /api/v1/documents/options lists them'),
  chunker: component,
  embedder: component,
  chunk_units: count.describe("Size of a chunk, in the chunker's own unit"),
  chunk_overlap: count.describe('Units that two neighbours share; less than chunk_units'),
  wait_for_completion: z.boolean().default(false).describe('Answer when all accepted files have ended'),
}

export const importBody = z
  .strictObject({
    files: z.array(fileItem).min(1, 'expected at least one file').max(10_000, 'expected at most 10000 files'),
    ...options,
  })
  .meta({ id: 'DocumentImport' })

/** The fields of a form beside its files; they hold for all of them. */
export const importForm = z.strictObject({
  ...options,
  category: line,
  owners,
  doc_id: fileItem.shape.doc_id,
})

export type ComponentWish = z.output<typeof component>

/** What is asked for all files alike. */
export interface ImportWishes {
  readonly reader: ComponentWish
  readonly chunker: ComponentWish
  readonly embedder: ComponentWish
  readonly chunkUnits: number | null
  readonly chunkOverlap: number | null
  readonly wait: boolean
}

/** Where the bytes of an item come from; the ways in which an item can be wrong are told apart later. */
export type ItemOrigin =
  | ItemContent
  | { readonly kind: 'received'; readonly received: Received }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'path' }
  | { readonly kind: 'none' }
  | { readonly kind: 'both' }

export interface ImportItem {
  readonly name: string
  readonly category: string
  /** As it was sent; the empty string when it was not. */
  readonly path: string
  readonly docId: string | null
  /** As they were sent. */
  readonly owners: string | readonly string[] | null
  readonly origin: ItemOrigin
}

/** The wishes in a checked body or form. */
export function wishesOf(body: Omit<z.output<typeof importBody>, 'files'>): ImportWishes {
  return {
    reader: body.reader,
    chunker: body.chunker,
    embedder: body.embedder,
    chunkUnits: body.chunk_units ?? null,
    chunkOverlap: body.chunk_overlap ?? null,
    wait: body.wait_for_completion,
  }
}
