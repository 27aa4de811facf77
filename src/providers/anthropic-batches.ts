/**
 * Message Batches of Anthropic. They have no field for a mark, so the ids of the lines carry it, which are seen again in
 * the results: a submission that was lost is recognized when the batches that may be it have ended.
 * API: https://platform.claude.com/docs/en/api/creating-message-batches
 */
import { isObject } from '#lib/json-value.ts'
import {
  askKnown,
  askLines,
  askObject,
  listPagesMax,
  skewMs,
  type AskNative,
  type LostSubmission,
  type NativeBatches,
  type NativeProgress,
  type NativeResult,
  type NativeSearch,
  type NativeSubmission,
} from './native-batches.ts'

const endpoints = new Set(['/v1/messages'])

export function anthropicBatches(ask: AskNative): NativeBatches {
  return {
    endpoints,
    submit: (submission, signal) => submit(ask, submission, signal),
    find: (lost, signal) => find(ask, lost, signal),
    poll: (id, signal) => poll(ask, id, signal),
    async cancel(id, signal) {
      const { status, body } = await ask({ method: 'POST', path: `messages/batches/${id}/cancel` }, signal)
      body.cancel()
      if (status >= 500 || status === 429) throw new Error(`cancelling a batch answered ${status}`)
    },
  }
}

async function submit(ask: AskNative, { token, lines }: NativeSubmission, signal: AbortSignal): Promise<string> {
  const pieces = lines.flatMap(({ id, body }, at) => [
    Buffer.from(`${at === 0 ? '' : ','}{"custom_id":"${token}_${id}","params":`),
    body,
    Buffer.from('}'),
  ])
  const bytes = Buffer.concat([Buffer.from('{"requests":['), ...pieces, Buffer.from(']}')])
  const body = { type: 'application/json', bytes }
  const { id } = await askObject(ask, { method: 'POST', path: 'messages/batches', body }, signal)
  if (typeof id !== 'string') throw new Error('a new batch has no id')
  return id
}

/** The list begins with the newest. */
async function find(ask: AskNative, lost: LostSubmission, signal: AbortSignal): Promise<NativeSearch> {
  let after = ''
  let isUnsure = false
  for (let page = 0; page < listPagesMax; page += 1) {
    const list = await askObject(ask, { method: 'GET', path: `messages/batches?limit=100${after}` }, signal)
    const data = Array.isArray(list['data']) ? list['data'].filter(isObject) : []
    for (const batch of data) {
      const id = String(batch['id'])
      if (!mayBe(batch, lost)) continue
      if (batch['processing_status'] !== 'ended') isUnsure = true
      else if (await isMarked(ask, id, { token: lost.token, signal })) return { kind: 'found', id }
    }
    const last = data.at(-1)
    if (last === undefined || list['has_more'] !== true || createdAt(last) < lost.at - skewMs)
      return { kind: isUnsure ? 'unsure' : 'absent' }
    after = `&after_id=${encodeURIComponent(String(list['last_id']))}`
  }
  return { kind: 'unsure' }
}

function mayBe(batch: Record<string, unknown>, { at, count }: LostSubmission): boolean {
  const counts = isObject(batch['request_counts']) ? Object.values(batch['request_counts']) : []
  return createdAt(batch) >= at - skewMs && counts.reduce<number>((sum, each) => sum + Number(each), 0) === count
}

function createdAt(batch: Record<string, unknown>): number {
  return Date.parse(String(batch['created_at']))
}

async function isMarked(
  ask: AskNative,
  id: string,
  { token, signal }: { readonly token: string; readonly signal: AbortSignal },
): Promise<boolean> {
  for await (const line of askLines(ask, `messages/batches/${id}/results`, signal))
    return String((JSON.parse(line.toString()) as Record<string, unknown>)['custom_id']).startsWith(`${token}_`)
  return false
}

async function poll(ask: AskNative, id: string, signal: AbortSignal): Promise<NativeProgress> {
  const batch = await askKnown(ask, { method: 'GET', path: `messages/batches/${id}` }, signal)
  if (batch === null) return { kind: 'gone', reason: 'the provider does not know the batch' }
  if (batch['processing_status'] !== 'ended') return { kind: 'running' }
  return { kind: 'ended', results: resultsOf(ask, id, signal) }
}

async function* resultsOf(ask: AskNative, id: string, signal: AbortSignal): AsyncGenerator<NativeResult, void> {
  for await (const line of askLines(ask, `messages/batches/${id}/results`, signal)) {
    const { custom_id: customId, result } = JSON.parse(line.toString()) as Record<string, unknown>
    const answer = isObject(result) ? answerOf(result) : null
    if (answer === null) continue
    const lineId = String(customId).slice(String(customId).indexOf('_') + 1)
    yield { id: lineId, ...answer }
  }
}

/** Null for a line that was not answered, and for one that is worth another try. */
function answerOf(result: Record<string, unknown>): Pick<NativeResult, 'status' | 'body'> | null {
  const { type, message, error } = result
  if (type === 'succeeded') return { status: 200, body: Buffer.from(JSON.stringify(message)) }
  const detail = isObject(error) && isObject(error['error']) ? error['error'] : null
  if (type !== 'errored' || detail?.['type'] !== 'invalid_request_error') return null
  return { status: 400, body: Buffer.from(JSON.stringify(error)) }
}
