/** The body of POST /api/v1/documents: its schema, and the import that it asks for. */
import { z } from '#lib/schema.ts'
import { faultOf } from '#lib/schema-fault.ts'
import type { DocumentSource } from '#store/documents/document-source.ts'
import { metadataFault, type Metadata } from '#store/documents/metadata/metadata.ts'
import type { SpooledFile } from '../blobs/blob-store.ts'
import type { ItemContent } from '../unpacking/item-content.ts'

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

/** A text that comes from elsewhere: names of files may have any character but NUL. */
export function sourceText(charactersMax: number): z.ZodString {
  return z
    .string()
    .min(1, 'expected a text that is not empty')
    .max(charactersMax, `expected at most ${charactersMax} characters`)
    .regex(/^[^\0]*$/, 'expected a text without a NUL')
}
function isWebAddress(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

/** The categories of what vector stores hold: only they add to them. */
export const storeCategory = /^vs_[0-9a-f]{32}$/

/** Any object within the bounds of metadata. */
export const metadataField = z.record(z.string(), z.unknown(), 'expected an object').superRefine((value, context) => {
  const fault = metadataFault(value)
  if (fault !== null) context.addIssue({ code: 'custom', message: `it ${fault}` })
})

export const fileItem = z
  .object({
    name: z
      .string()
      .min(1, 'expected a name')
      .max(1000, 'expected at most 1000 characters')
      .describe('Shown to people; not trusted for what the content is'),
    bytes: z.string().nullish().describe('The content in base64, or the text itself; this or `path`'),
    encoding: z.enum(['base64', 'utf-8']).nullish().describe('What `bytes` is, when it must not be guessed'),
    category: line.refine((category) => !storeCategory.test(category), 'this name is that of a vector store'),
    path: z
      .string()
      .max(4096)
      .nullish()
      .describe('A file of the server, below one of documents.import_roots; this or `bytes`'),
    url: z
      .string()
      .max(2000, 'expected at most 2000 characters')
      .refine(isWebAddress, 'expected an http: or https: address without a user or a password')
      .nullish()
      .describe(
        'A page or a file on the web, which the server fetches in the background; in place of `bytes` and `path`. Its next import replaces this version',
      ),
    doc_id: z
      .guid('expected an id (UUID)')
      .transform((id) => id.toLowerCase())
      .nullish()
      .describe('Chosen by the server when left out'),
    source: line
      .nullish()
      .describe('Where files come from: the name of a folder, a bucket or a site. With `source_id`'),
    source_id: sourceText(4096)
      .nullish()
      .describe(
        'The file within its source: a path, a key, an address. The next import of the same file replaces this version when it is completed',
      ),
    source_version: sourceText(500)
      .nullish()
      .describe('Tells whether the file has changed: a time, an ETag. Returned by the manifest of the source'),
    metadata: metadataField.nullish().describe('Any JSON object; searches and lists can be filtered by its values'),
    owners: owners.describe('User ids, e-mail addresses, group:<name> or everyone; the importing user when left out'),
  })
  .refine(({ doc_id: id, source_id: file }) => !id || !file, {
    path: ['doc_id'],
    message: 'expected doc_id or source_id, not both',
  })
  .refine(({ doc_id: id, url }) => !id || !url, {
    path: ['doc_id'],
    message: 'expected doc_id or url, not both',
  })
  .refine(({ source, source_version: version, source_id: file, url }) => file || url || !(source || version), {
    path: ['source_id'],
    message: 'expected a source_id beside source and source_version',
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
  .object({
    files: z.array(fileItem).min(1, 'expected at least one file').max(10_000, 'expected at most 10000 files'),
    ...options,
  })
  .meta({ id: 'DocumentImport' })

/** The source of what was imported by its address. */
const webSource = 'web'

/** The same without a look at the items: one that is wrong spoils no other. */
export const importShape = importBody.extend({
  files: z.array(z.unknown()).min(1, 'expected at least one file').max(10_000, 'expected at most 10000 files'),
})

/** The fields of a form beside its files and their own fields, which hold for all of them. */
export const importForm = z.object(options)

export type ComponentOption = z.output<typeof component>

/** What is asked for all files alike. */
export interface ImportOptions {
  readonly reader: ComponentOption
  readonly chunker: ComponentOption
  readonly embedder: ComponentOption
  readonly chunkUnits: number | null
  readonly chunkOverlap: number | null
  readonly wait: boolean
  /** About the request as a whole. */
  readonly warnings: readonly string[]
}

/** Where the bytes of an item come from; receive-item.ts says what is wrong with an item. */
export type ItemOrigin =
  | ItemContent
  | { readonly kind: 'received'; readonly received: SpooledFile }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'path' }
  /** Fetched later, by the worker of the document. */
  | { readonly kind: 'url'; readonly url: URL }
  | { readonly kind: 'none' }
  | { readonly kind: 'both' }

export interface ImportItem {
  readonly name: string
  readonly category: string
  /** As it was sent; the empty string when it was not. */
  readonly path: string
  readonly docId: string | null
  /** The file that it is, where it comes from; null when that was not said. */
  readonly source: DocumentSource | null
  /** Undefined when none was sent. */
  readonly metadata: Metadata | undefined
  /** As they were sent. */
  readonly owners: string | readonly string[] | null
  readonly origin: ItemOrigin
  /** What is wrong with a field, as a sentence; null when all are right. */
  readonly fault: string | null
  readonly warnings: readonly string[]
}

export interface ItemFields extends Omit<ImportItem, 'origin'> {
  readonly url: URL | null
  readonly encoding: 'base64' | 'utf-8' | null
}

/** The fields of an item. What is wrong is said in `fault`; the fields are then as far as they can be answered. */
export function itemFields(sent: unknown): ItemFields {
  const parsed = fileItem.safeParse(sent)
  const warnings = unknownFields(sent, fileItem)
  if (parsed.success) {
    const { name, category, path, doc_id: docId = null, owners: named = null, encoding = null } = parsed.data
    const source = sourceIn(parsed.data)
    const metadata = parsed.data.metadata ?? undefined
    const url = parsed.data.url ? pageAddress(parsed.data.url) : null
    const about = { name, category, path: path ?? '', url, docId, source, metadata, owners: named }
    return { ...about, encoding, fault: null, warnings }
  }
  const fields = typeof sent === 'object' && sent !== null ? (sent as Readonly<Record<string, unknown>>) : {}
  const textOf = (field: string): string => (typeof fields[field] === 'string' ? fields[field].slice(0, 1000) : '')
  return {
    name: textOf('name'),
    category: textOf('category'),
    path: textOf('path'),
    url: null,
    docId: textOf('doc_id') || null,
    source: null,
    metadata: undefined,
    owners: owners.safeParse(fields['owners']).data ?? null,
    encoding: null,
    fault: faultOf(parsed.error, 'The item'),
    warnings,
  }
}

function sourceIn({
  source,
  source_id: id,
  source_version: version,
  url,
}: z.output<typeof fileItem>): DocumentSource | null {
  const file = id || (url ? pageAddress(url).href : null)
  return file ? { name: source ?? (id ? '' : webSource), id: file, version: version ?? null } : null
}

/** Without a fragment, which is a place within the page. */
function pageAddress(given: string): URL {
  const url = new URL(given)
  url.hash = ''
  return url
}

/** A warning for each field that the schema does not have, at most ten. */
export function unknownFields(sent: unknown, { shape }: z.ZodObject): readonly string[] {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return []
  const unknown = Object.keys(sent).filter((name) => !Object.hasOwn(shape, name))
  return unknown
    .slice(0, 10)
    .map((name) => `The field ${JSON.stringify(name.slice(0, 100))} is not known and was ignored.`)
}

/** The options in a checked body or form. */
export function importOptionsOf(
  body: Omit<z.output<typeof importBody>, 'files'>,
  warnings: readonly string[] = [],
): ImportOptions {
  return {
    reader: body.reader,
    chunker: body.chunker,
    embedder: body.embedder,
    chunkUnits: body.chunk_units ?? null,
    chunkOverlap: body.chunk_overlap ?? null,
    wait: body.wait_for_completion,
    warnings,
  }
}
