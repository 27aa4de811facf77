/** Routes of the audit log: its rows, and the proof that none was changed. */
import { z } from '#lib/schema.ts'
import { instant, instantOf, pageAnswer, pageOnWire, pageQuery } from '#http/page.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { auditOutcomes, auditSources, type AuditRow } from '#store/audit.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { time } from '../fields.ts'

const text = z
  .string()
  .max(300)
  .regex(/^\P{Cc}*$/u, 'expected text without control characters')

const auditQuery = pageQuery.extend({
  actor: text.optional().describe('E-mail address'),
  action: text.optional().describe('For example `PATCH /users/:id` or `sign-in`'),
  record: text.optional().describe('For example `/users/` and an id'),
  outcome: z.enum(auditOutcomes).optional(),
  since: time.optional().describe('From this moment on'),
  until: time.optional().describe('Before this moment'),
})

const rowAnswer = z
  .strictObject({
    seq: z.int().describe('The rows are numbered without a gap'),
    at: instant,
    action: z.string(),
    outcome: z.enum(auditOutcomes).describe('begun: written before a change; the row of its end names it in `details`'),
    source: z.enum(auditSources),
    actor: z.string().describe('E-mail address; for a refused sign-in the one that was entered'),
    actor_id: z.string().nullable(),
    key_id: z.string().nullable(),
    address: z.string(),
    request_id: z.string(),
    record: z.string(),
    details: z
      .record(z.string(), z.unknown())
      .describe('`before` and `after` are the record as its own address shows it'),
    hash: z.string().describe('SHA-256 of the row and the hash of the row before'),
  })
  .meta({ id: 'AuditRow' })

const proofAnswer = z
  .strictObject({
    broken_at: z
      .int()
      .nullable()
      .describe('The first row that is missing, changed or out of order; null when there is none'),
    checked: z.int().describe('Rows whose hashes were recomputed'),
    seq: z.int().describe('The newest row'),
    hash: z.string().describe('The hash of the newest row; a copy of it elsewhere proves all rows up to it'),
  })
  .meta({ id: 'AuditProof' })

export function auditRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Audit log')
  const { audit } = admin.store
  return [
    route({
      method: 'GET',
      path: '/audit',
      access: 'admin',
      summary: 'Who changed what, and who signed in; the newest first',
      query: auditQuery,
      answer: pageAnswer(rowAnswer),
      errors: ['invalid_cursor'],
      report: true,
      handle: async ({ query }) => pageOnWire(await audit.list(query), rowOnWire),
    }),
    route({
      method: 'GET',
      path: '/audit-proof',
      access: 'admin',
      summary: 'Recompute the hashes of the audit log',
      answer: proofAnswer,
      report: true,
      async handle() {
        const { brokenAt, ...proof } = await audit.verify()
        return { broken_at: brokenAt, ...proof }
      },
    }),
  ]
}

function rowOnWire({ at, actorId, keyId, requestId, ...row }: AuditRow): z.input<typeof rowAnswer> {
  return { ...row, at: instantOf(at), actor_id: actorId, key_id: keyId, request_id: requestId }
}
