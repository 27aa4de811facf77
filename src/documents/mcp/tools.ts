/**
 * What programs that speak the Model Context Protocol may do with documents: find passages, list and read. Each tool sees
 * what its caller sees, as the addresses below /api/v1 do, and does nothing that they do not.
 */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { z } from '#lib/schema.ts'
import { toApiError } from '#errors/api-error.ts'
import { pageAnswer } from '#http/page.ts'
import type { Caller } from '#identity/records.ts'
import { askedModes, askedModeWords } from '#store/documents/search/asked-modes.ts'
import { searchModes } from '#store/documents/search/search-modes.ts'
import { documentStates } from '#store/documents/document-store.ts'
import type { Documents } from '../documents.ts'
import { knownError } from '../known-error.ts'
import { documentAnswer } from '../records/document-record.ts'
import { getDocument, listChunks, listDocuments } from '../records/document-handlers.ts'
import { filterOf } from '../search/metadata-filter.ts'
import { search } from '../search/search.ts'
import { searchOnWire } from '../search/search-wire.ts'
import { textOfChunks } from '../records/text-of-chunks.ts'

export interface ToolContext {
  readonly documents: Documents
  readonly caller: Caller
  readonly signal: AbortSignal
}

/** One tool with its documentation; the sentences are read by models. */
export interface DocumentTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: z.ZodObject
  readonly outputSchema: z.ZodObject
  readonly run: (context: ToolContext, input: unknown) => Promise<CallToolResult>
}

const docId = z.guid('expected the id of a document (UUID)').describe('The id of a document, from a search or a list')

const passage = z.strictObject({
  doc_id: z.string(),
  name: z.string(),
  title: z.string().nullable(),
  category: z.string(),
  page: z.int().nullable(),
  heading_path: z.array(z.string()),
  chunk: z.int().describe('Place in the document, from 0: `from` of read_document'),
  text: z.string(),
  score: z.number().describe('Higher is better'),
})

const metadataFilter = z
  .looseObject({ type: z.string() })
  .optional()
  .describe(
    'Only documents with such metadata: {"type": "eq", "key": "author", "value": "Ada"}; types are eq, ne, gt, gte, lt, lte, in, nin, range, exists, and, or (with "filters") and not (with "filter")',
  )

const searchTool = tool({
  name: 'search_documents',
  title: 'Search documents',
  description:
    'Find passages of the documents that you may see, the best first. Each has the document, the page and the place, to be cited and to read on from.',
  input: z.strictObject({
    query: z
      .string()
      .max(20_000)
      .refine((text) => text.trim() !== '', 'expected a question or words to look for')
      .describe('A question, or words to look for'),
    top_k: z.int().min(1).max(50).default(8).describe('Most passages'),
    mode: z.enum(askedModes).default('auto').describe(askedModeWords),
    category: z.string().min(1).max(255).optional().describe('Only documents of this category'),
    doc_ids: z.array(docId).min(1).max(200).optional().describe('Only these documents'),
    filter: metadataFilter,
  }),
  output: z.strictObject({ passages: z.array(passage), mode: z.enum(searchModes), warnings: z.array(z.string()) }),
  async run({ documents, caller, signal }, { query, top_k: topK, mode, category, doc_ids: ids, filter }) {
    const result = await search(
      documents,
      caller,
      {
        text: query,
        mode,
        topK,
        window: 0,
        categories: category === undefined ? undefined : [category],
        documentIds: ids?.map((id) => id.toLowerCase()),
        metadata: filter && filterOf(filter, 'filter'),
      },
      signal,
    )
    const { data, mode: used, warnings } = searchOnWire(result)
    const passages = data.map(({ doc_id, name, title, category: of, page, heading_path, ordinal, text, score }) => {
      return { doc_id, name, title, category: of, page, heading_path, chunk: ordinal, text, score }
    })
    return { passages, mode: used, warnings }
  },
  text: ({ passages, warnings }) =>
    [
      ...(passages.length === 0 ? ['No passage was found.'] : []),
      ...passages.map((each, at) => `[${at + 1}] ${placeOf(each)}\n${each.text}`),
      ...warnings,
    ].join('\n\n'),
})

const listTool = tool({
  name: 'list_documents',
  title: 'List documents',
  description: 'The documents that you may see, the newest first, with their state.',
  input: z.strictObject({
    name: z.string().max(255).optional().describe('Part of the name'),
    category: z.string().max(255).optional(),
    state: z.enum(documentStates).optional(),
    filter: metadataFilter,
    limit: z.int().min(1).max(100).default(20),
    cursor: z.string().max(1000).optional().describe('`next_cursor` of the page before'),
  }),
  output: pageAnswer(documentAnswer),
  run: ({ documents, caller }, { name, category, state, filter, limit, cursor }) =>
    listDocuments(documents, caller, {
      name,
      categories: category === undefined ? undefined : [category],
      states: state === undefined ? undefined : [state],
      metadata: filter && filterOf(filter, 'filter'),
      limit,
      cursor,
    }),
  text: ({ data, next_cursor: next }) =>
    [
      ...(data.length === 0 ? ['There are no such documents.'] : []),
      ...data.map((each) => `${each.doc_id} ${each.name} (${each.category}, ${each.state})`),
      ...(next === null ? [] : [`There are more: cursor ${next}`]),
    ].join('\n'),
})

const readTool = tool({
  name: 'read_document',
  title: 'Read a document',
  description:
    'The text of a document in parts. Begin at `from` of 0, or at the place of a passage, and go on at `next`.',
  input: z.strictObject({
    doc_id: docId,
    from: z.int().min(0).default(0).describe('Place of the first chunk'),
    chunks: z.int().min(1).max(100).default(20).describe('How many chunks of text'),
  }),
  output: z.strictObject({
    doc_id: z.string(),
    name: z.string(),
    title: z.string().nullable(),
    text: z.string(),
    from: z.int(),
    next: z.int().nullable().describe('Where the text goes on; null at its end'),
    total: z.int().describe('Chunks of the whole document'),
  }),
  async run({ documents, caller }, { doc_id, from, chunks: limit }) {
    const id = doc_id.toLowerCase()
    const { name, title } = await getDocument(documents, caller, id)
    const { data, total, next } = await listChunks(documents, caller, { id, from, limit })
    return { doc_id: id, name, title, text: textOfChunks(data), from, next, total }
  },
  text: ({ name, text, next, total }) =>
    [`${name}:`, text, next === null ? 'The end.' : `It goes on at ${next} of ${total}.`].join('\n\n'),
})

export const documentTools: readonly DocumentTool[] = [searchTool, listTool, readTool]

interface ToolRow<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: I
  readonly output: O
  readonly run: (context: ToolContext, input: z.output<I>) => Promise<z.input<O>>
  /** The same for models that read text only. */
  readonly text: (output: z.input<O>) => string
}

function tool<I extends z.ZodObject, O extends z.ZodObject>(row: ToolRow<I, O>): DocumentTool {
  const { name, title, description, input, output, run, text } = row
  return {
    name,
    title,
    description,
    inputSchema: input,
    outputSchema: output,
    async run(context, given) {
      try {
        const answer = await run(context, given as z.output<I>)
        return { content: [{ type: 'text', text: text(answer) }], structuredContent: answer }
      } catch (thrown) {
        return refusal(thrown, context)
      }
    },
  }
}

/** What the model is told; what only administrators may know goes to the log. */
function refusal(thrown: unknown, { documents, signal }: ToolContext): CallToolResult {
  const error = toApiError(knownError(documents.storage, thrown), signal)
  if (error.status >= 500) documents.logger.error('a tool for documents failed', { error: thrown })
  return { content: [{ type: 'text', text: error.message }], isError: true }
}

function placeOf({ name, doc_id, page, heading_path: headings, chunk }: z.output<typeof passage>): string {
  const places = [page === null ? [] : [`page ${page}`], headings.length === 0 ? [] : [headings.join(' › ')]].flat()
  return `${[name, ...places].join(', ')} (document ${doc_id}, from ${chunk})`
}
