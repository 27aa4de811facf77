/** Relays an answer that is one JSON document: read whole, so that a broken one never looks complete. */
import { ApiError } from '#errors/api-error.ts'
import { readAll, type Reply } from '#lib/http1/reply.ts'
import { findFields, replaceSpans } from '#lib/json-span.ts'
import { headersForClient } from './headers.ts'
import type { Relay } from './relay.ts'
import { readUsage } from './usage.ts'

const readFields = new Set(['usage', 'model'])

/** The answer for the client. Answers 502 or 504 by throwing when the upstream's body breaks or cannot be read. */
export async function relayWhole(reply: Reply, relay: Relay): Promise<Response> {
  const { record, watch } = relay
  watch.expect('idle', relay.idleSeconds)
  const body = await readWhole(reply, relay)
  record.firstToken()
  const fields = checkObject(body) ? findFields(body, readFields) : []
  const usage = fields.findLast((field) => field.name === 'usage')
  if (usage !== undefined) record.usage = readUsage(JSON.parse(body.toString('utf8', usage.valueStart, usage.valueEnd)))
  const model = fields.find((field) => field.name === 'model')
  const rewritten =
    relay.rewriteModel === null || model === undefined
      ? body
      : replaceSpans(body, [{ start: model.valueStart, end: model.valueEnd, text: JSON.stringify(relay.rewriteModel) }])
  record.responseBytes = rewritten.length
  const headers = headersForClient(reply.headers)
  headers['content-type'] = reply.headers['content-type'] ?? 'application/json'
  return relay.exchange.respond(rewritten, { status: reply.status, headers })
}

async function readWhole({ body }: Reply, { watch, responseBytesMax }: Relay): Promise<Buffer<ArrayBuffer>> {
  try {
    const whole = await readAll(body, responseBytesMax)
    if (whole !== null) return whole
  } catch (thrown) {
    if (watch.reason !== null) throw watch.reason
    throw new ApiError('upstream_error', {
      message: 'The model provider broke off in the middle of its answer.',
      cause: thrown,
    })
  }
  throw new ApiError('upstream_invalid_response', {
    message: 'The answer of the model provider is larger than this gateway allows.',
  })
}

function checkObject(body: Buffer): boolean {
  try {
    JSON.parse(body.toString('utf8'))
    return true
  } catch (cause) {
    throw new ApiError('upstream_invalid_response', { cause })
  }
}
