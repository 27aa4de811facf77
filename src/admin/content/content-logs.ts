/**
 * Routes of logged content: which there is, one with its texts, a search in the texts, an export, and removal. The
 * audit log has who is shown a text, before it is shown.
 */
import { z } from '#lib/schema.ts'
import { fineTuningLine } from '#gateway/content/fine-tuning.ts'
import { instant, instantOf, pageQuery } from '#http/page.ts'
import type { Route } from '#http/route.ts'
import { streamOf } from '#http/file-answer.ts'
import { validQuery } from '#http/validate.ts'
import type { Caller } from '#identity/records.ts'
import type { ContentFilter, ContentLog, FullContentLog } from '#store/content/content-logs.ts'
import type { Admin } from '../admin.ts'
import { adminPrefix, endpointsOf, noStore } from '../endpoint.ts'
import { id, requireFound, time } from '../fields.ts'
import { mapStoreErrors } from '../map-store-errors.ts'

const tag = 'Content logs'
/** Texts that one search or one step of an export opens: sealed bytes and rows. */
const scan = { bytesMax: 8 * 1024 * 1024, rowsMax: 1000 } as const
const excerptLength = 80
const removedAtOnce = 100

const shortText = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'expected text without control characters')

const filter = {
  request_id: shortText.optional(),
  user_id: id.optional(),
  key_id: id.optional(),
  model: shortText.optional().describe('Canonical name'),
  from: time.optional().describe('From this moment on'),
  to: time.optional().describe('Before this moment'),
}

const listQuery = pageQuery.extend({
  ...filter,
  text: shortText.optional().describe('In the prompt or the answer, in any case. Texts are sealed: each is opened.'),
})
const exportQuery = z.strictObject(filter)

const facts = {
  id: z.string(),
  at: instant,
  request_id: z.string(),
  user_id: z.string(),
  key_id: z.string().nullable(),
  model: z.string(),
  endpoint: z.string(),
  status: z.int(),
  code: z.string().nullable(),
  request_cut: z.boolean().describe('Some of the prompt is missing'),
  answer_cut: z.boolean(),
}

const listed = z
  .strictObject({ ...facts, excerpt: z.string().nullable().describe('Around the text that was searched for') })
  .meta({ id: 'ContentLog' })

const listAnswer = z.strictObject({
  data: z.array(listed),
  next_cursor: z
    .string()
    .nullable()
    .describe('Send it as `cursor` to go on, also after a page of a search that found nothing; null at the end'),
})

const full = z
  .strictObject({
    ...facts,
    request: z.string().describe('JSON as the client sent it, redacted; cut off when `request_cut`'),
    answer: z.string().nullable().describe('JSON as for a request without `stream`; null when there was none'),
  })
  .meta({ id: 'FullContentLog' })

export function contentRoutes(admin: Admin): Route<Caller>[] {
  return [...readRoutes(admin), exportRoute(admin), removeRoute(admin)]
}

function readRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const { contentLogs } = admin.store
  return [
    route({
      method: 'GET',
      path: '/content-logs',
      access: 'admin',
      summary: 'Requests whose content is logged, the newest first',
      description: `With \`text\`, each call opens at most ${scan.bytesMax / 1024 / 1024} MiB of texts, and the answer has those of them that match.`,
      query: listQuery,
      answer: listAnswer,
      errors: ['invalid_cursor'],
      report: true,
      async handle({ context, caller, query: { text, cursor, limit, ...asked } }) {
        const wanted = filterOf(asked)
        if (text === undefined) {
          const page = await contentLogs.list({ ...wanted, cursor, limit })
          const data = page.items.map((row) => ({ ...factsOnWire(row), excerpt: null }))
          return { data, next_cursor: page.nextCursor }
        }
        await admin.audit.looked({ context, caller, path: '/content-logs', params: {} }, { search: true, ...asked })
        const { rows, nextCursor } = await contentLogs.scan({ ...scan, filter: wanted, cursor: cursor ?? null })
        return { data: await found(rows, text), next_cursor: nextCursor }
      },
    }),
    route({
      method: 'GET',
      path: '/content-logs/:id',
      access: 'admin',
      summary: 'The logged content of one request',
      description: 'The audit log says who has looked.',
      answer: full,
      report: true,
      async handle({ context, caller, params }) {
        const row = requireFound(await contentLogs.find(params.id), 'logged content')
        const { requestId: request_id, userId: user_id } = row
        await admin.audit.looked({ context, caller, path: '/content-logs/:id', params }, { request_id, user_id })
        return { ...factsOnWire(row), request: row.request, answer: row.answer }
      },
    }),
  ]
}

function exportRoute(admin: Admin): Route<Caller> {
  const { contentLogs } = admin.store
  const path = '/content-logs-export'
  return {
    method: 'GET',
    path: adminPrefix + path,
    access: 'admin',
    docs: {
      tag,
      summary: 'Conversations as a fine-tuning file in the chat format of OpenAI',
      description:
        'One JSON object in each line, the newest first. Requests that failed, that are cut off, or that are not a conversation are left out.',
      query: exportQuery,
      media: ['application/x-jsonl'],
      errors: ['invalid_query_parameter', 'store_unavailable'],
    },
    handle: (context, caller) =>
      mapStoreErrors(async () => {
        const asked = validQuery(exportQuery, context.query)
        await admin.audit.looked({ context, caller, path, params: {} }, { export: true, ...asked })
        const lines = exportedLines(filterOf(asked))
        const headers = { ...noStore, 'content-type': 'application/x-jsonl', 'x-content-type-options': 'nosniff' }
        return context.respond(streamOf(lines), { status: 200, headers })
      }),
  }

  async function* exportedLines(wanted: ContentFilter): AsyncGenerator<Uint8Array, void> {
    for (let cursor: string | null = null; ;) {
      const { rows, nextCursor } = await contentLogs.scan({ ...scan, filter: wanted, cursor })
      for (const row of rows) {
        const line = fineTuningLine(row)
        if (line !== null) yield Buffer.from(`${line}\n`)
        await turn()
      }
      if (nextCursor === null) return
      cursor = nextCursor
    }
  }
}

function removeRoute(admin: Admin): Route<Caller> {
  const route = endpointsOf(admin, tag)
  return route({
    method: 'POST',
    path: '/content-logs/remove',
    access: 'admin',
    summary: 'Remove logged content, for example all of one user',
    body: z
      .strictObject({ user_id: id.optional(), key_id: id.optional(), request_id: shortText.optional() })
      .refine(
        (body) => Object.values(body).some((value) => value !== undefined),
        'expected at least one of user_id, key_id and request_id',
      ),
    answer: z.strictObject({ removed: z.int() }),
    async handle({ body }) {
      let removed = 0
      for (;;) {
        const some = await admin.store.contentLogs.removeSome(filterOf(body), removedAtOnce)
        removed += some
        if (some < removedAtOnce) return { removed }
      }
    },
  })
}

/** The rows with the text, each with what is around its first place. */
async function found(rows: readonly FullContentLog[], text: string): Promise<z.input<typeof listed>[]> {
  const wanted = text.toLowerCase()
  const matches: z.input<typeof listed>[] = []
  for (const row of rows) {
    await turn()
    for (const content of [row.request, row.answer ?? '']) {
      const at = content.toLowerCase().indexOf(wanted)
      if (at < 0) continue
      const excerpt = content.slice(Math.max(0, at - excerptLength), at + wanted.length + excerptLength)
      matches.push({ ...factsOnWire(row), excerpt: excerpt.toWellFormed() })
      break
    }
  }
  return matches
}

interface Asked {
  readonly request_id?: string | undefined
  readonly user_id?: string | undefined
  readonly key_id?: string | undefined
  readonly model?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

function filterOf({ request_id: requestId, user_id: userId, key_id: keyId, model, from, to }: Asked): ContentFilter {
  return { requestId, userId, keyId, model, from, to }
}

function factsOnWire(row: ContentLog) {
  return {
    id: row.id,
    at: instantOf(row.at),
    request_id: row.requestId,
    user_id: row.userId,
    key_id: row.keyId,
    model: row.model,
    endpoint: row.endpoint,
    status: row.status,
    code: row.code,
    request_cut: row.requestCut,
    answer_cut: row.answerCut,
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
