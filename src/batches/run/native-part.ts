/**
 * A part of a batch that its provider runs as a batch of its own. Each claim takes one step: it is handed over, looked for
 * when nobody knows whether it has arrived, asked for its state, or its results are taken. Before it is handed over that
 * is written down, so no step that a dying process leaves is done twice. Lines that come back without a result run here.
 */
import { BlobMissing } from '#documents/blobs/blob-store.ts'
import type { ModelCall } from '#gateway/endpoints/model-call.ts'
import { InnerContext } from '#gateway/inner-context.ts'
import { nativeBatches, nativeBody, nativeUpstream } from '#gateway/native-call.ts'
import { replyOf } from '#lib/http1/reply.ts'
import { NativeRefused, type NativeBatches, type NativeLine, type NativeResult } from '#providers/native-batches.ts'
import { jsonBody } from '#providers/provider.ts'
import type { ClaimedJob, NativeState } from '#store/batches/batch-jobs.ts'
import type { LineResult } from '#store/batches/batch-results.ts'
import { LeaseLost } from '#store/errors.ts'
import type { Batches } from '../batches.ts'
import { lineCall } from '../lines/line-calls.ts'
import { callLine } from './call-line.ts'
import type { InputFiles } from './input-files.ts'
import { openPart, type OpenLine } from './open-part.ts'

interface NativeRun {
  readonly batches: Batches
  readonly inputs: InputFiles
  readonly job: ClaimedJob
  /** Ends what is under way with the process. */
  readonly signal: AbortSignal
}

type Submitting = Extract<NativeState, { readonly phase: 'submitting' }>
type Submitted = Extract<NativeState, { readonly phase: 'submitted' }>

/** A provider that does not end a cancelled batch in this time is not waited for any longer. */
const cancelMaxMs = 900_000
const writtenTogether = 100
const writtenBytesMax = 524_288
/** Other work has its turn between these. */
const linesAtOnce = 50
/** Refusals after which the same may be accepted later: a credential that is replaced, a limit that is over. */
const passing = new Set([401, 403, 408, 409, 429])

/** Takes one step, and says when the next is due. Rejects with LeaseLost, and with BlobMissing where the file cannot be read. */
export async function workOnNative(run: NativeRun): Promise<void> {
  const { batches, job } = run
  const waitMs = await step(run).catch((thrown: unknown) => {
    if (thrown instanceof LeaseLost || thrown instanceof BlobMissing) throw thrown
    if (!run.signal.aborted)
      batches.logger.warn('a batch at a provider could not be asked for', { batch: job.batch.id, error: thrown })
    return pollMs(run)
  })
  await batches.store.release(job.lease, (await batches.now()) + waitMs)
}

function step(run: NativeRun): Promise<number> {
  const { native } = run.job
  switch (native?.phase) {
    case 'submitting':
      return findAgain(run, native)
    case 'submitted':
      return follow(run, native)
    default:
      return submit(run)
  }
}

async function submit(run: NativeRun): Promise<number> {
  const { batches, job } = run
  const { batch, lease, nativeModel: model } = job
  const caller = batches.callerOf(batch)
  const lines = caller === null ? [] : await bodiesOf(run, caller)
  const target =
    caller === null || model === null
      ? null
      : orNull(() => nativeUpstream(batches.gateway, caller, { model, endpoint: batch.endpoint }))
  if (target === null || lines.length === 0) return runHere(run)
  const providerId = target.upstream.provider.id
  const at = await batches.now()
  await batches.store.setNative(lease, { phase: 'submitting', providerId, at, count: lines.length })
  try {
    const { upstreamName } = target.upstream
    const submission = { token: tokenOf(job), endpoint: batch.endpoint, model: upstreamName, lines }
    const id = await target.batches.submit(submission, run.signal)
    await batches.store.setNative(lease, { phase: 'submitted', providerId, id, cancelledAt: null })
    return pollMs(run)
  } catch (thrown) {
    if (!(thrown instanceof NativeRefused) || thrown.status >= 500 || passing.has(thrown.status)) throw thrown
    batches.logger.warn('a provider refused a batch, whose lines run here', { batch: batch.id, error: thrown })
    return runHere(run)
  }
}

/** The requests of the part as the provider takes them. What is refused or cannot be handed over is left to run here. */
async function bodiesOf(
  run: NativeRun,
  caller: NonNullable<ReturnType<Batches['callerOf']>>,
): Promise<readonly NativeLine[]> {
  const { batches, inputs, job, signal } = run
  const { gateway } = batches
  const call = lineCall(job.batch.endpoint)
  const lines: NativeLine[] = []
  for (const [at, { line, request }] of (await openPart(batches, inputs, job)).entries()) {
    const context = new InnerContext(call.endpoint, { body: request.body }, signal, gateway.clock)
    const body = await nativeBody(gateway, context, caller, call).catch(() => null)
    if (body !== null) lines.push({ id: String(line), body })
    if (at % linesAtOnce === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  return lines
}

/** A call was under way when its process ended, or its answer was lost. */
async function findAgain(run: NativeRun, { providerId, at, count }: Submitting): Promise<number> {
  const { batches, job } = run
  const provider = nativeBatches(batches.gateway, providerId)
  const search = await (provider?.find({ token: tokenOf(job), at, count }, run.signal) ?? unknown)
  if (search.kind === 'found') {
    await batches.store.setNative(job.lease, { phase: 'submitted', providerId, id: search.id, cancelledAt: null })
    return 0
  }
  const now = await batches.now()
  if (search.kind === 'unsure') return isGivenUp(run, now) ? end(run) : pollMs(run)
  // The provider may be about to make it.
  const settledAt = at + batches.gateway.settings.get('batches.lease_seconds') * 1000
  if (now < settledAt) return settledAt - now
  return job.batch.outcome === null ? submit(run) : end(run)
}

const unknown = Promise.resolve({ kind: 'unsure' } as const)

async function follow(run: NativeRun, native: Submitted): Promise<number> {
  const { batches, job, signal } = run
  const { batch, lease } = job
  const isStopped = batch.outcome !== null
  const now = await batches.now()
  const provider = nativeBatches(batches.gateway, native.providerId)
  if (provider === null) return isGivenUp(run, now) ? end(run) : pollMs(run)
  if (isStopped && native.cancelledAt === null) {
    await provider.cancel(native.id, signal)
    await batches.store.setNative(lease, { ...native, cancelledAt: now })
  }
  const progress = await provider.poll(native.id, signal)
  if (progress.kind === 'running') return isGivenUp(run, now) ? end(run) : pollMs(run)
  if (progress.kind === 'ended') await take(run, provider, progress.results)
  else
    batches.logger.warn('a batch at a provider failed, its lines run here', { batch: batch.id, why: progress.reason })
  return isStopped ? end(run) : runHere(run)
}

/** Writes the results, in whatever order they come. */
async function take(run: NativeRun, provider: NativeBatches, results: AsyncIterable<NativeResult>): Promise<void> {
  const { batches, inputs, job } = run
  const open = new Map((await openPart(batches, inputs, job)).map((each) => [String(each.line), each]))
  let some: LineResult[] = []
  let bytes = 0
  for await (const result of results) {
    const line = open.get(result.id)
    open.delete(result.id)
    const text = line === undefined ? null : await lineResult(run, line, senderOf(run, provider, result))
    if (text === null) continue
    some.push(text)
    bytes += text.text.length
    if (some.length < writtenTogether && bytes < writtenBytesMax) continue
    await batches.store.write(job.lease, some, false, 0)
    some = []
    bytes = 0
  }
  if (some.length > 0) await batches.store.write(job.lease, some, false, 0)
}

/** The answer as that of a call of its own; null when it is not one. */
async function lineResult(
  { batches, job, signal }: NativeRun,
  { line, request }: OpenLine,
  answered: NonNullable<ModelCall['answered']>,
): Promise<LineResult | null> {
  const ended = await callLine(batches, job.batch, { line, request, lease: job.lease, answered }, signal)
  return ended.kind === 'done'
    ? { line, error: ended.error, cost: ended.cost, usage: ended.usage, text: ended.text }
    : null
}

/** What answers in place of the provider: the result, in the words of the endpoint. */
function senderOf(
  { job }: NativeRun,
  provider: NativeBatches,
  result: NativeResult,
): NonNullable<ModelCall['answered']> {
  const { status, body } = result
  const headers = { 'content-type': 'application/json' }
  return {
    send: async (call) =>
      provider.reply?.(result, { endpoint: job.batch.endpoint, model: call.upstreamModel, body: jsonBody(call) }) ??
      replyOf(new Response(body, { status, headers })),
  }
}

/** Whatever has no result is called from here. */
async function runHere({ batches, job }: NativeRun): Promise<number> {
  await batches.store.setNative(job.lease, null)
  return 0
}

/** The batch is stopped, and the part is done with. */
async function end({ batches, job }: NativeRun): Promise<number> {
  await batches.store.write(job.lease, [], true, await batches.now())
  return 0
}

function isGivenUp({ job: { batch } }: NativeRun, now: number): boolean {
  return batch.outcome !== null && now - (batch.cancellingAt ?? batch.finalizingAt ?? now) > cancelMaxMs
}

function pollMs({ batches }: NativeRun): number {
  return batches.gateway.settings.get('batches.native_poll_seconds') * 1000
}

/** The same for every try at this part. */
function tokenOf({ lease: { batchId, part } }: ClaimedJob): string {
  return new Bun.CryptoHasher('sha256').update(`${batchId} ${part}`).digest('hex').slice(0, 24)
}

function orNull<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}
