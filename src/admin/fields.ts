/** Fields that several resources share, and how times and durations look on the wire. */
import { z } from '#lib/schema.ts'
import type { ModelCapabilities, Timeouts } from '#catalog/records.ts'
import { readEmail } from '#config/settings/formats.ts'
import { ApiError } from '#errors/api-error.ts'
import { instantOf } from '#http/page.ts'
import { weakness } from '#identity/weak-password.ts'

/** The name of a model or provider: what fits into a URL and a header. */
export const name = z.string().regex(/^[^\s\p{Cc}]{1,200}$/u, 'expected 1 to 200 characters without blanks')

/** The name of a person, group or key: one line. */
export const label = z
  .string()
  .regex(/^\S([^\p{Cc}]{0,198}\S)?$/u, 'expected 1 to 200 characters on one line, without blanks at the ends')

/** A text for people; may be empty. */
export const text = z
  .string()
  .max(2000, 'expected at most 2000 characters')
  // PostgreSQL cannot store a NUL.
  .refine((value) => !value.includes('\0'), 'expected a text without NUL characters')

/** An address in lower case. */
export const email = z.string().transform((value, context): string => {
  const read = readEmail(value)
  if (read !== null && !/\p{Cc}/u.test(read)) return read
  context.addIssue('expected an e-mail address')
  return z.NEVER
})

export const password = z
  .string()
  .min(12, 'expected at least 12 characters')
  .max(1024, 'expected at most 1024 characters')
  .superRefine((value, context) => {
    const problem = weakness(value)
    if (problem !== null) context.addIssue(`expected ${problem}`)
  })

/** The id of something else. */
export const id = z.uuid('expected an id (UUID)')

/** A time of the request, RFC 3339, as milliseconds since 1970. */
export const time = z.iso
  .datetime({ offset: true, error: 'expected a time like 2026-01-31T12:00:00Z' })
  .transform((value) => Date.parse(value))

/** The same for a time that may be unknown. */
export function instantOrNull(at: number | null): string | null {
  return at === null ? null : instantOf(at)
}

const seconds = z
  .number('expected a number of seconds')
  .min(0.05, 'expected at least 0.05')
  .max(86_400, 'expected at most 86400')
  .optional()

export const timeouts = z
  .strictObject({
    connect_seconds: seconds,
    first_token_seconds: seconds,
    idle_seconds: seconds,
    total_seconds: seconds,
  })
  .meta({ id: 'Timeouts', description: 'Four different silences; one that is left out is as in the settings.' })

export function timeoutsFromWire(wire: z.output<typeof timeouts>): Timeouts {
  const { connect_seconds: connect, first_token_seconds: firstToken, idle_seconds: idle, total_seconds: total } = wire
  return {
    ...(connect !== undefined && { connectSeconds: connect }),
    ...(firstToken !== undefined && { firstTokenSeconds: firstToken }),
    ...(idle !== undefined && { idleSeconds: idle }),
    ...(total !== undefined && { totalSeconds: total }),
  }
}

export function timeoutsOnWire(record: Timeouts): z.input<typeof timeouts> {
  return {
    connect_seconds: record.connectSeconds,
    first_token_seconds: record.firstTokenSeconds,
    idle_seconds: record.idleSeconds,
    total_seconds: record.totalSeconds,
  }
}

const words = z.array(label).max(50).optional()

export const capabilities = z
  .strictObject({
    endpoints: words,
    input: words,
    tools: z.boolean().optional(),
    json_schema: z.boolean().optional(),
    reasoning: z.boolean().optional(),
    guessed: z.boolean().optional().describe('The endpoints were guessed by the name at import'),
  })
  .meta({ id: 'Capabilities', description: 'What a model can do; what is left out is unknown.' })

export function capabilitiesFromWire(wire: z.output<typeof capabilities>): ModelCapabilities {
  const { endpoints, input, tools, json_schema: jsonSchema, reasoning, guessed } = wire
  return {
    ...(endpoints && { endpoints }),
    ...(input && { input }),
    ...(tools !== undefined && { tools }),
    ...(jsonSchema !== undefined && { jsonSchema }),
    ...(reasoning !== undefined && { reasoning }),
    ...(guessed !== undefined && { guessed }),
  }
}

export function capabilitiesOnWire(record: ModelCapabilities): z.input<typeof capabilities> {
  return {
    endpoints: record.endpoints && [...record.endpoints],
    input: record.input && [...record.input],
    tools: record.tools,
    json_schema: record.jsonSchema,
    reasoning: record.reasoning,
    guessed: record.guessed,
  }
}

/** The record, or 404 with a sentence. */
export function requireFound<T>(record: T | null | undefined, what: string): T {
  if (record === null || record === undefined) throw new ApiError('not_found', { message: `There is no such ${what}.` })
  return record
}

/** The record if it may be changed here; 403 when the configuration file declares it. */
export function requireEditable<T extends { readonly declared: boolean }>(record: T): T {
  if (record.declared) throw new ApiError('declared_read_only')
  return record
}
