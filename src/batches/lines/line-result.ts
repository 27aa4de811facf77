/** Results of lines as they stand in the files of a batch: one JSON object in one line, in the words of its dialect. */
import { errorBody as anthropicErrorBody } from '#dialects/anthropic/error-response.ts'
import type { ApiError } from '#errors/api-error.ts'
import { errorBody } from '#errors/render.ts'
import type { Batch } from '#store/batches/batch-row.ts'
import { newId } from '../files/files.ts'

/** How a call of a line has ended. */
export interface LineAnswer {
  readonly status: number
  readonly requestId: string
  /** JSON. */
  readonly body: string
}

type Dialect = Pick<Batch, 'dialect'>

/** A line that was answered, whether with a result or with a refusal. @param customId JSON */
export function answeredResult(
  { dialect }: Dialect,
  customId: string,
  { status, requestId, body }: LineAnswer,
): string {
  if (dialect === 'anthropic') {
    const result = status < 300 ? `{"type":"succeeded","message":${body}}` : `{"type":"errored","error":${body}}`
    return `{"custom_id":${customId},"result":${result}}`
  }
  const response = `{"status_code":${status},"request_id":${JSON.stringify(requestId)},"body":${body}}`
  return `{"id":"${newId('batch_req_')}","custom_id":${customId},"response":${response},"error":null}`
}

/** The body of a refusal. */
export function refusalBody({ endpoint }: Pick<Batch, 'endpoint'>, error: ApiError, requestId: string): string {
  const isAnthropic = endpoint === '/v1/messages'
  return JSON.stringify(isAnthropic ? { ...anthropicErrorBody(error), request_id: requestId } : errorBody(error))
}

/** The code of the error of lines that were not done. */
export function undoneCode({ outcome }: Pick<Batch, 'outcome'>): string {
  return outcome === 'expired' ? 'batch_expired' : 'batch_cancelled'
}

/** A line that was not done, because its batch was cancelled or has expired. @param customId JSON */
export function undoneResult({ dialect, outcome }: Pick<Batch, 'dialect' | 'outcome'>, customId: string): string {
  const isExpired = outcome === 'expired'
  if (dialect === 'anthropic')
    return `{"custom_id":${customId},"result":{"type":"${isExpired ? 'expired' : 'canceled'}"}}`
  const message = isExpired
    ? 'This request could not be executed before the completion window expired.'
    : 'This request was not executed before the batch was cancelled.'
  const error = { code: undoneCode({ outcome }), message }
  return `{"id":"${newId('batch_req_')}","custom_id":${customId},"response":null,"error":${JSON.stringify(error)}}`
}

/** The text of an answer as a part of one line. JSON has line ends only between its parts; NUL is in no JSON at all. */
export function oneLine(json: string): string {
  return json.replaceAll(/[\r\n\0]/g, ' ')
}
