/** The routes of the documents: import, records and search. */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { ErrorCode } from '#errors/catalogue.ts'
import { readJson } from '#http/body.ts'
import { pageAnswer as pageOf, pageQuery } from '#http/page.ts'
import { json, noContent } from '#http/respond.ts'
import type { Route } from '#http/route.ts'
import { validBody, validQuery } from '#http/validate.ts'
import type { Caller } from '#identity/records.ts'
import { documentStates } from '#store/documents/document-store.ts'
import { contentRoutes } from './content-routes.ts'
import { docId, type Row } from './document-route.ts'
import type { Documents } from './documents.ts'
import { importAnswer } from './import/import-answer.ts'
import { importDocuments, shownName } from './import/import-documents.ts'
import { importBody, metadataField, sourceText } from './import/import-request.ts'
import { componentsAnswer, listComponents } from './import/components.ts'
import { knownError } from './known-error.ts'
import { resolveOwners } from './owners.ts'
import { chunkAnswer, documentAnswer, manifestAnswer } from './records/document-record.ts'
import {
  cancelDocument,
  changeDocument,
  deleteDocument,
  getDocument,
  listChunks,
  listDocuments,
  listManifest,
  retryDocument,
} from './records/document-handlers.ts'
import { filterIn } from './search/metadata-filter.ts'
import { metadataRoute } from './metadata-route.ts'
import { search } from './search/search.ts'
import { searchAnswer, searchBody, searchOnWire, searchQueryOf } from './search/search-wire.ts'

const tag = 'Documents'
const searchBytesMax = 1024 * 1024
const changeBytesMax = 64 * 1024

const listQuery = pageQuery.extend({
  category: z.string().max(255).optional(),
  state: z
    .string()
    .max(200)
    .optional()
    .describe(`One or several of ${documentStates.join(', ')}, separated by commas`),
  owner: z.string().max(254).optional().describe('A user id, an e-mail address, group:<name> or everyone'),
  name: z.string().max(255).optional().describe('Part of the name'),
  filter: z.string().max(100_000).optional().describe('A filter over metadata as JSON, as a search takes it'),
  doc_id: z.string().max(10_000).optional().describe('One or several ids, separated by commas: at most 200'),
})

const manifestQuery = z.strictObject({
  source: z.string().max(255).describe('The `source` that the files were imported with'),
  after: z.string().max(64).optional(),
  limit: z.coerce.number('expected a number').int().min(1).max(5000).default(1000),
})

const changeBody = z
  .strictObject({
    name: z.string().min(1, 'expected a name').max(1000, 'expected at most 1000 characters').transform(shownName),
    source_id: sourceText(4096),
    source_version: sourceText(500),
    metadata: metadataField,
  })
  .partial()
  .refine(({ source_id: id, source_version: version }) => id !== undefined || version === undefined, {
    path: ['source_id'],
    message: 'expected a source_id beside source_version',
  })
  .meta({ id: 'DocumentChange' })

const chunksQuery = z.strictObject({
  from: z.coerce.number('expected a number').int().min(0).default(0).describe('Place of the first chunk'),
  limit: z.coerce.number('expected a number').int().min(1).max(500).default(100),
})

const chunksAnswer = z.strictObject({
  data: z.array(chunkAnswer),
  total: z.int(),
  next: z.int().nullable().describe('Send it as `from` for the chunks after these; null at the end'),
})

/** Rows of the route table. */
export function documentRoutes(documents: Documents): readonly Route<Caller>[] {
  return [
    ...importRoutes(documents),
    ...recordRoutes(documents),
    metadataRoute(documents),
    manifestRoute(documents),
    ...contentRoutes(documents),
    ...changeRoutes(documents),
    searchRoute(documents),
  ].map(({ method, path, docs, handle }): Route<Caller> => ({
    method,
    path: `/api/v1${path}`,
    access: 'documents',
    docs: { tag, ...docs, errors: [...(docs.errors ?? []), 'store_unavailable', 'storage_full', 'overloaded'] },
    async handle(context, caller) {
      try {
        return await handle(context, caller)
      } catch (thrown) {
        throw knownError(documents.storage, thrown)
      }
    },
  }))
}

const bodyErrors: readonly ErrorCode[] = [
  'invalid_json',
  'body_timeout',
  'request_too_large',
  'unsupported_media_type',
  'validation_failed',
]

function importRoutes(documents: Documents): Row[] {
  return [
    {
      method: 'POST',
      path: '/documents',
      docs: {
        operation: 'importDocuments',
        summary: 'Import files to read, chunk, embed and store in the background',
        description:
          '202 when all files were accepted, 207 when any is a duplicate or invalid. Files can also be sent as `multipart/form-data`: the contents in parts named `files`, the other fields as parts of their own, for all files.',
        body: importBody,
        answer: importAnswer,
        status: 202,
        moreStatuses: [207],
        errors: [...bodyErrors, 'invalid_multipart', 'model_access_denied', 'backlog_full'],
      },
      handle: (context, caller) => importDocuments(documents, context, caller),
    },
    {
      method: 'GET',
      path: '/documents/options',
      docs: {
        operation: 'getDocumentOptions',
        summary: 'Readers, chunkers, embedders and categories that an import can name',
        answer: componentsAnswer,
      },
      handle: () => Promise.resolve(json(listComponents(documents))),
    },
  ]
}

function recordRoutes(documents: Documents): Row[] {
  return [
    {
      method: 'GET',
      path: '/documents',
      docs: {
        summary: 'List documents, the newest first',
        query: listQuery,
        answer: pageOf(documentAnswer),
        errors: ['invalid_query_parameter', 'invalid_cursor', 'invalid_filter'],
      },
      handle: async (context, caller) => {
        const {
          category,
          state,
          owner,
          name,
          doc_id: ids,
          filter: asked,
          ...page
        } = validQuery(listQuery, context.query)
        const owners = owner === undefined ? undefined : await ownerFilter(documents, owner, caller)
        const categories = category === undefined ? undefined : [category]
        const metadata = asked === undefined ? undefined : filterIn(asked, 'filter')
        const filter = { categories, states: statesOf(state), owners, name, ids: idsOf(ids), metadata }
        return json(await listDocuments(documents, caller, { ...filter, ...page }))
      },
    },
    {
      method: 'GET',
      path: '/document/:doc_id',
      docs: { summary: 'One document and how far it is', answer: documentAnswer, errors: ['not_found'] },
      handle: async (context, caller) => json(await getDocument(documents, caller, docId(context))),
    },
    {
      method: 'GET',
      path: '/document/:doc_id/chunks',
      docs: {
        summary: 'The chunks of a document, in the order of its text',
        query: chunksQuery,
        answer: chunksAnswer,
        errors: ['not_found', 'invalid_query_parameter'],
      },
      handle: async (context, caller) => {
        const page = validQuery(chunksQuery, context.query)
        return json(await listChunks(documents, caller, { id: docId(context), ...page }))
      },
    },
  ]
}

function manifestRoute(documents: Documents): Row {
  return {
    method: 'GET',
    path: '/documents/manifest',
    docs: {
      operation: 'getSourceManifest',
      summary: 'What you have imported of a source: files, versions, hashes and states',
      query: manifestQuery,
      answer: manifestAnswer,
      errors: ['invalid_query_parameter'],
    },
    handle: async (context, caller) =>
      json(await listManifest(documents, caller, validQuery(manifestQuery, context.query))),
  }
}

function changeRoutes(documents: Documents): Row[] {
  const errors: readonly ErrorCode[] = ['not_found', 'document_read_only']
  return [
    {
      method: 'PATCH',
      path: '/document/:doc_id',
      docs: {
        operation: 'changeDocument',
        summary: 'Give a document another name or metadata, or say that its file was moved',
        description:
          'Chunks, vectors and the id of the document stay; it is not read again. `metadata` is a merge patch: keys that are named are set, those set to null are removed. The next search filters by what it then is.',
        body: changeBody,
        answer: documentAnswer,
        errors: [...errors, ...bodyErrors, 'conflict'],
      },
      async handle(context, caller) {
        const readSeconds = documents.settings.get('server.body_read_seconds')
        const { value } = await readJson(context, { bytesMax: changeBytesMax, readSeconds })
        return json(await changeDocument(documents, caller, docId(context), validBody(changeBody, value)))
      },
    },
    {
      method: 'DELETE',
      path: '/document/:doc_id',
      docs: { summary: 'Delete a document with its chunks, vectors and bytes', status: 204, errors },
      handle: async (context, caller) => {
        await deleteDocument(documents, caller, docId(context))
        return noContent()
      },
    },
    {
      method: 'POST',
      path: '/document/:doc_id/cancel',
      docs: {
        summary: 'Stop processing a document; one that has ended stays as it is',
        answer: documentAnswer,
        errors,
      },
      handle: async (context, caller) => json(await cancelDocument(documents, caller, docId(context))),
    },
    {
      method: 'POST',
      path: '/document/:doc_id/retry',
      docs: {
        summary: 'Process a failed or cancelled document again',
        answer: documentAnswer,
        errors: [...errors, 'conflict'],
      },
      handle: async (context, caller) => json(await retryDocument(documents, caller, docId(context))),
    },
  ]
}

function searchRoute(documents: Documents): Row {
  return {
    method: 'POST',
    path: '/search',
    docs: {
      operation: 'search',
      summary: 'Find passages of documents by meaning, by words, or by both',
      body: searchBody,
      answer: searchAnswer,
      errors: [
        ...bodyErrors,
        'invalid_filter',
        'embedder_unavailable',
        'vector_index_unavailable',
        'model_access_denied',
      ],
    },
    handle: async (context, caller) => {
      const readSeconds = documents.settings.get('server.body_read_seconds')
      const { value } = await readJson(context, { bytesMax: searchBytesMax, readSeconds })
      const query = searchQueryOf(validBody(searchBody, value))
      return json(searchOnWire(await search(documents, caller, query, context.signal)))
    },
  }
}

function statesOf(text: string | undefined) {
  if (text === undefined) return undefined
  const parsed = z.array(z.enum(documentStates)).safeParse(text.split(',').map((each) => each.trim()))
  if (parsed.success) return parsed.data
  throw new ApiError('invalid_query_parameter', {
    param: 'state',
    message: `"state": expected one or several of ${documentStates.join(', ')}, separated by commas.`,
  })
}

function idsOf(text: string | undefined) {
  if (text === undefined) return undefined
  const ids = text.split(',').map((each) => each.trim().toLowerCase())
  if (ids.length <= 200 && ids.every((id) => z.guid().safeParse(id).success)) return ids
  throw new ApiError('invalid_query_parameter', {
    param: 'doc_id',
    message: '"doc_id": expected one or several ids (UUID), separated by commas, at most 200.',
  })
}

async function ownerFilter(documents: Documents, owner: string, caller: Caller) {
  const resolved = await resolveOwners(documents, owner, caller)
  if (resolved.kind === 'owners') return resolved.principals
  throw new ApiError('invalid_query_parameter', {
    param: 'owner',
    message: `"owner": no user or group is called ${JSON.stringify(owner)}.`,
  })
}
