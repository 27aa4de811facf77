/** Asks a provider for its models, and says why it did not answer. */
import { ApiError } from '#errors/api-error.ts'
import { z } from '#lib/schema.ts'
import type { ProviderRecord } from '#catalog/records.ts'
import type { RequestContext } from '#http/request-context.ts'
import { UpstreamFailure, type DiscoveredModel, type UpstreamFailureKind } from '#providers/provider.ts'
import type { Admin } from '../admin.ts'

export const discoveryAnswer = z
  .strictObject({
    ok: z.boolean(),
    models: z.array(z.strictObject({ id: z.string(), context_length: z.int().nullable().describe('Tokens') })),
    latency_ms: z.int(),
    error: z.string().optional().describe('What went wrong, when `ok` is false'),
  })
  .meta({ id: 'ProviderTest' })

export type Discovery =
  | { readonly kind: 'models'; readonly models: readonly DiscoveredModel[] }
  | { readonly kind: 'failed'; readonly reason: string }

const timeoutMs = 10_000

/** The models that the provider offers now, or why it does not list them, after at most ten seconds. */
export async function discover(
  { providers }: Admin,
  { signal }: RequestContext,
  record: ProviderRecord,
): Promise<Discovery> {
  const provider = providers.get(record)
  if (provider === null)
    return { kind: 'failed', reason: `This version does not support providers of kind "${record.kind}".` }
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    return { kind: 'models', models: await provider.discover(AbortSignal.any([signal, timeout])) }
  } catch (thrown) {
    signal.throwIfAborted()
    return { kind: 'failed', reason: timeout.aborted ? 'It did not answer within 10 seconds.' : reasonOf(thrown) }
  }
}

/** A discovery as the answer of a connection test. */
export async function testConnection(
  admin: Admin,
  context: RequestContext,
  record: ProviderRecord,
): Promise<z.input<typeof discoveryAnswer>> {
  const startedAt = admin.clock.elapsed()
  const discovery = await discover(admin, context, record)
  const latency = { latency_ms: Math.round(admin.clock.elapsed() - startedAt) }
  if (discovery.kind === 'failed') return { ok: false, models: [], ...latency, error: discovery.reason }
  const models = discovery.models.map((model) => ({ id: model.id, context_length: model.contextLength ?? null }))
  return { ok: true, models, ...latency }
}

const reasons: Readonly<Record<UpstreamFailureKind, string>> = {
  refused: 'Nothing can be reached at the base URL. Is the server running, and is the address right?',
  'connect-timeout': 'The connection to the base URL timed out. Is the address right, and does a firewall allow it?',
  stale: 'The connection broke before an answer came.',
  reset: 'The connection broke before an answer came.',
  protocol: 'What answers at the base URL does not list models as the OpenAI API does. Does the address end in /v1?',
}

function reasonOf(thrown: unknown): string {
  // Sentences of our own, for example that a kind cannot list its models.
  if (thrown instanceof ApiError) return thrown.message
  if (!(thrown instanceof UpstreamFailure)) return reasons.protocol
  // Our own sentence about a status may be shown; the runtime's errors may quote what was sent.
  const detail =
    thrown.cause instanceof Error && /^GET \/models answered \d{3}$/.test(thrown.cause.message)
      ? thrown.cause.message
      : null
  if (detail === null) return reasons[thrown.kind]
  return /40[13]$/.test(detail) ? `${detail}: the credential was refused.` : `${detail}.`
}
