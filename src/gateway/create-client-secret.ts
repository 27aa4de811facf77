/**
 * POST /ai/v1/realtime/client_secrets: a secret with which a page opens realtime sessions with one model, for a short
 * time, through this gateway and under its limits. `/realtime/sessions` is the same in an older form.
 * Shape: https://platform.openai.com/docs/api-reference/realtime-sessions
 */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import { readJson } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import type { Caller } from '#identity/records.ts'
import { isObject } from '#lib/json-value.ts'
import { resolveModel } from './admission/resolve-model.ts'
import { withEndpoint } from './admission/with-endpoint.ts'
import type { Gateway } from './gateway.ts'
import { invalidBody } from './request/fields.ts'

/** Those of the API itself. */
const secondsDefault = 600
const secondsMin = 10
const secondsMax = 7200
const secondsOfSessions = 60
/** A secret travels in one header, and proxies refuse longer ones. */
const secretCharsMax = 6000

type Session = Readonly<Record<string, unknown>>

const session = z.looseObject({
  type: z.literal('realtime').optional(),
  model: z.string().describe('A model name or alias'),
})

/** The bodies and answers as the OpenAPI document shows them. */
export const clientSecretForms = {
  body: z
    .looseObject({
      session,
      expires_after: z
        .looseObject({
          anchor: z.literal('created_at').optional(),
          seconds: z.int().min(secondsMin).max(secondsMax).optional().describe(`${secondsDefault} when left out`),
        })
        .optional(),
    })
    .meta({ id: 'ClientSecretRequest' }),
  answer: z
    .object({ value: z.string(), expires_at: z.int().describe('Seconds since 1970'), session: z.looseObject({}) })
    .meta({ id: 'ClientSecret' }),
  sessionBody: session.meta({ id: 'RealtimeSessionRequest' }),
  sessionAnswer: z
    .looseObject({ client_secret: z.object({ value: z.string(), expires_at: z.int() }) })
    .meta({ id: 'RealtimeSession' }),
} as const

/** Answers 400, 401, 403, 404, 408, 413, 415 and 503 by throwing. */
export async function createClientSecret(gateway: Gateway, context: RequestContext, caller: Caller): Promise<Response> {
  const body = await readBody(gateway, context)
  const { session: asked } = body
  if (!isObject(asked)) throw invalidBody('session', '"session" must be an object with the name of a "model".')
  const made = makeSecret(gateway, caller, asked, { path: 'session.', seconds: readSeconds(body['expires_after']) })
  return json({ ...made.secret, session: made.session })
}

/** POST /ai/v1/realtime/sessions: the body is the session itself. */
export async function createRealtimeSession(
  gateway: Gateway,
  context: RequestContext,
  caller: Caller,
): Promise<Response> {
  const asked = await readBody(gateway, context)
  const made = makeSecret(gateway, caller, asked, { path: '', seconds: secondsOfSessions })
  return json({ ...made.session, client_secret: made.secret })
}

interface Made {
  readonly secret: { readonly value: string; readonly expires_at: number }
  readonly session: Session
}

function makeSecret(
  { catalog, providers, clientSecrets, clock }: Gateway,
  { account, key }: Caller,
  asked: Session,
  { path, seconds }: { readonly path: string; readonly seconds: number },
): Made {
  // A session of the console has no rights that a page may be given.
  if (key === null) throw new ApiError('missing_api_key')
  const { type = 'realtime', model: name, ...settings } = asked
  if (type !== 'realtime') throw invalidBody(`${path}type`, `"${path}type" must be "realtime".`)
  if (typeof name !== 'string' || name === '') throw new ApiError('missing_model', { param: `${path}model` })
  const { record } = withEndpoint(providers, resolveModel(catalog(), name, { account, key }), 'realtime')
  const now = clock.now()
  const expiresAt = Math.floor(Math.min(now + seconds * 1000, key.expiresAt ?? Infinity) / 1000)
  const own = Object.keys(settings).length === 0 ? null : { type, ...settings }
  const value = clientSecrets.make({ keyId: key.id, model: record.name, session: own }, expiresAt * 1000)
  if (value.length > secretCharsMax) {
    const field = path === '' ? null : 'session'
    throw invalidBody(field, 'The session is too large for a client secret. Send it with "session.update" instead.')
  }
  const id = `sess_${crypto.randomUUID().replaceAll('-', '')}`
  return {
    secret: { value, expires_at: expiresAt },
    session: { id, object: 'realtime.session', ...settings, type, model: record.name },
  }
}

function readSeconds(asked: unknown): number {
  const seconds = isObject(asked) ? (asked['seconds'] ?? secondsDefault) : secondsDefault
  if (typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= secondsMin && seconds <= secondsMax)
    return seconds
  throw invalidBody('expires_after.seconds', `"expires_after.seconds" must be from ${secondsMin} to ${secondsMax}.`)
}

async function readBody({ settings }: Gateway, context: RequestContext): Promise<Session> {
  const { value } = await readJson(context, {
    bytesMax: settings.get('server.max_body_bytes'),
    readSeconds: settings.get('server.body_read_seconds'),
  })
  if (!isObject(value)) throw invalidBody(null, 'The request body must be a JSON object.')
  return value
}
