/** The routes that answer with what a document holds: its text, its pages, its file. */
import { ApiError } from '#errors/api-error.ts'
import type { ErrorCode } from '#errors/catalogue.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import { validQuery } from '#http/validate.ts'
import { docId, type Row } from './document-route.ts'
import type { Documents } from './documents.ts'
import {
  getFile,
  getPage,
  getPagePicture,
  getText,
  pageAnswer,
  pictureQuery,
  textAnswer,
  textQuery,
} from './records/content-handlers.ts'

/** Rows of the route table. */
export function contentRoutes(documents: Documents): Row[] {
  const errors: readonly ErrorCode[] = ['not_found', 'invalid_query_parameter']
  return [
    {
      method: 'GET',
      path: '/document/:doc_id/text',
      docs: {
        summary: 'The text of a document, or a part of it',
        description: 'Offsets count Unicode code points, as those of chunks and hits do.',
        query: textQuery,
        answer: textAnswer,
        errors,
      },
      handle: async (context, caller) =>
        json(await getText(documents, caller, { id: docId(context), ...validQuery(textQuery, context.query) })),
    },
    {
      method: 'GET',
      path: '/document/:doc_id/pages/:page',
      docs: { summary: 'The text of a page, slide, sheet or attachment', answer: pageAnswer, errors },
      handle: async (context, caller) =>
        json(await getPage(documents, caller, { id: docId(context), page: pageNumber(context) })),
    },
    {
      method: 'GET',
      path: '/document/:doc_id/pages/:page/image',
      docs: {
        operation: 'getPageImage',
        summary: 'A page of a PDF as a picture, with a passage marked',
        query: pictureQuery,
        media: ['image/png'],
        errors,
      },
      handle: (context, caller) => {
        const passage = validQuery(pictureQuery, context.query)
        return getPagePicture(documents, context, caller, {
          id: docId(context),
          page: pageNumber(context),
          ...passage,
        })
      },
    },
    {
      method: 'GET',
      path: '/document/:doc_id/file',
      docs: {
        operation: 'downloadDocument',
        summary: 'The file as it was imported, or a range of its bytes',
        media: ['application/*', 'text/*', 'image/*', 'message/*'],
        moreStatuses: [206, 304],
        errors: ['not_found', 'range_not_satisfiable'],
      },
      handle: (context, caller) => getFile(documents, context, caller, docId(context)),
    },
  ]
}

/** The number of a page in the path. What is not one is the number of no page. */
function pageNumber({ params }: RequestContext): number {
  const page = params['page'] ?? ''
  if (/^[1-9]\d{0,8}$/.test(page)) return Number(page)
  throw new ApiError('not_found', { message: 'The address has to end with the number of a page, from 1.' })
}
