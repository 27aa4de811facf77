/** Routes of exports of usage: the list, one with what its time has now, its files, and a restatement. */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import { fileAnswer, type LocalFile } from '#http/file-answer.ts'
import { instant, instantOf, pageAnswer, pageOnWire, pageQuery } from '#http/page.ts'
import type { Route } from '#http/route.ts'
import { validQuery } from '#http/validate.ts'
import type { Caller } from '#identity/records.ts'
import { exportFormats, exportPeriods, type ExportFormat, type UsageExport } from '#store/exports/usage-exports.ts'
import type { Admin } from '../admin.ts'
import { adminPrefix, endpointsOf, noStore } from '../endpoint.ts'
import { instantOrNull, requireFound } from '../fields.ts'
import { mapStoreErrors } from '../map-store-errors.ts'

/** Opens stored bytes. Rejects when they are gone or cannot be reached. */
export type OpenExportFile = (address: { readonly id: string; readonly sha256: string }) => Promise<LocalFile>

const totals = z.strictObject({ requests: z.int(), cost: z.int().describe('In 10^-9 of the currency') })

const exportAnswer = z
  .strictObject({
    id: z.string(),
    period: z.enum(exportPeriods),
    starts_at: instant,
    ends_at: instant.describe('First moment that no longer counts'),
    time_zone: z.string(),
    version: z.int().describe('1 for the first; restatements have 2, 3, …'),
    state: z.enum(['pending', 'done']),
    error: z.string().nullable().describe('Why the last attempt failed; it is tried again'),
    rows: z.int().nullable(),
    totals: totals.nullable().describe('What the files add up to; null while it is pending'),
    created_at: instant,
    finished_at: instant.nullable(),
    files: z.array(
      z.strictObject({
        format: z.enum(exportFormats),
        name: z.string(),
        bytes: z.int(),
        sha256: z.string(),
        url: z.string(),
      }),
    ),
  })
  .meta({ id: 'UsageExport' })

const oneAnswer = z.strictObject({
  ...exportAnswer.shape,
  now: totals.describe('What its time adds up to now: other than `totals`, it is to be restated'),
})

export function exportRoutes(admin: Admin, open: OpenExportFile): Route<Caller>[] {
  const route = endpointsOf(admin, 'Exports')
  const { exports, usage } = admin.store
  return [
    route({
      method: 'GET',
      path: '/exports',
      access: 'admin',
      summary: 'List exports of usage, those of the newest time first',
      query: pageQuery,
      answer: pageAnswer(exportAnswer),
      errors: ['invalid_cursor'],
      handle: async ({ query }) => pageOnWire(await exports.list(query), onWire),
    }),
    route({
      method: 'GET',
      path: '/exports/:id',
      access: 'admin',
      summary: 'One export, and what its time adds up to now',
      answer: oneAnswer,
      report: true,
      async handle({ params }) {
        const found = requireFound(await exports.find(params.id), 'export')
        const { requests, cost } = await usage.totals({ from: found.startsAt, to: found.endsAt })
        return { ...onWire(found), now: { requests, cost } }
      },
    }),
    route({
      method: 'POST',
      path: '/exports/:id/restate',
      access: 'admin',
      summary: 'Export the same time again, as the next version; the earlier files stay',
      answer: exportAnswer,
      status: 202,
      async handle({ params }) {
        const next = { id: crypto.randomUUID(), at: admin.clock.now() }
        const id = requireFound(await exports.restate(params.id, next), 'export')
        return onWire(requireFound(await exports.find(id), 'export'))
      },
    }),
    fileRoute(admin, open),
  ]
}

function fileRoute(admin: Admin, open: OpenExportFile): Route<Caller> {
  return {
    method: 'GET',
    path: `${adminPrefix}/exports/:id/files/:format`,
    access: 'admin',
    docs: {
      tag: 'Exports',
      operation: 'getExportFile',
      summary: 'A file of an export',
      query: z.strictObject({}),
      media: ['text/csv', 'application/vnd.apache.parquet'],
      moreStatuses: [206, 304],
      errors: ['not_found', 'invalid_query_parameter', 'range_not_satisfiable', 'store_unavailable'],
    },
    handle: (context, caller) =>
      mapStoreErrors(async () => {
        validQuery(z.strictObject({}), context.query)
        const { id = '', format } = context.params
        if (!/^[\w-]{1,100}$/.test(id)) throw new ApiError('not_found')
        const found = requireFound(await admin.store.exports.find(id), 'export')
        const file = requireFound(
          found.files.find((each) => each.format === format),
          'file of this export',
        )
        const local = await open({ id: file.blobId, sha256: file.sha256 }).catch((cause: unknown) => {
          throw new ApiError('store_unavailable', { message: 'The file cannot be read at the moment.', cause })
        })
        const { params } = context
        await admin.audit.looked(
          { context, caller, path: '/exports/:id/files/:format', params },
          { name: nameOf(found, file.format) },
        )
        const headers = {
          ...noStore,
          'content-type': mediaTypes[file.format],
          'content-disposition': `attachment; filename="${nameOf(found, file.format)}"`,
          'x-content-type-options': 'nosniff',
        }
        return fileAnswer(context, local, headers, file.sha256)
      }),
  }
}

const mediaTypes: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

function onWire(found: UsageExport): z.input<typeof exportAnswer> {
  return {
    id: found.id,
    period: found.period,
    starts_at: instantOf(found.startsAt),
    ends_at: instantOf(found.endsAt),
    time_zone: found.timeZone,
    version: found.version,
    state: found.state,
    error: found.error,
    rows: found.totals?.rows ?? null,
    totals: found.totals === null ? null : { requests: found.totals.requests, cost: found.totals.cost },
    created_at: instantOf(found.createdAt),
    finished_at: instantOrNull(found.finishedAt),
    files: found.files.map(({ format, bytes, sha256 }) => ({
      format,
      name: nameOf(found, format),
      bytes,
      sha256,
      url: `${adminPrefix}/exports/${found.id}/files/${format}`,
    })),
  }
}

/** `usage-2026-01.csv`, `usage-2026-01-31.v2.parquet`. */
function nameOf({ startsAt, timeZone, period, version }: UsageExport, format: ExportFormat): string {
  const date = new Intl.DateTimeFormat('sv-SE', { timeZone }).format(startsAt)
  const label = period === 'month' ? date.slice(0, 7) : date
  return `usage-${label}${version === 1 ? '' : `.v${version}`}.${format}`
}
