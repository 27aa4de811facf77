/**
 * The Takeoff client's `embed`, in the form of old clients and of new ones.
 * Source: takeoff-client 0.4 and 0.7 on PyPI.
 */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { modelOfGroup } from '../admission/resolve-group.ts'
import { vectorsInOrder } from '../embeddings/embedding-split.ts'
import { embeddings } from '../endpoints/embeddings.ts'
import type { ModelCall } from '../endpoints/model-call.ts'
import { relayWhole } from '../relay/relay-whole.ts'
import { requestOf } from '../request/model-request.ts'
import { readInputUsage } from '../usage/token-usage.ts'
import { group, readGroupBody } from './group-body.ts'

type Settings = Pick<LiveSettings, 'get'>

/** A call for one request, and the group that it named, once it has been read. */
export interface GroupCall {
  readonly call: ModelCall
  readonly group: () => string
}

export const embedBody = z
  .object({
    text: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
    consumer_group: group.describe('A consumer group, or a model or alias; null = primary'),
  })
  .meta({ id: 'EmbedRequest' })
export const embedAnswer = z.object({ result: z.array(z.array(z.number())) }).meta({ id: 'EmbedAnswer' })

/** POST /embed: `{"text", "consumer_group"}`, answered with `{"result": [[…]]}`. */
export function embedCall(settings: Settings): GroupCall {
  let asked = ''
  const call: ModelCall = {
    ...embeddings,
    async read(context, limits) {
      const { body } = await readGroupBody(context, limits, embedBody)
      asked = body.consumer_group ?? 'primary'
      const request = { model: modelOfGroup(settings, asked), input: body.text }
      return requestOf(Buffer.from(JSON.stringify(request)), request)
    },
    relay: (reply, relay) => relayWhole(reply, relay, readInputUsage, vectorsOnly),
  }
  return { call, group: () => asked }
}

/** The vectors as the provider wrote them; nothing is parsed. */
function vectorsOnly(body: Buffer): Buffer<ArrayBuffer> {
  const vectors = vectorsInOrder(body)
  if (vectors === null)
    throw new ApiError('upstream_invalid_response', {
      message: "The provider's answer is not that of an embedding model.",
    })
  const pieces = vectors.flatMap((vector, at) => (at === 0 ? [vector] : [Buffer.from(','), vector]))
  return Buffer.concat([Buffer.from('{"result":['), ...pieces, Buffer.from(']}')])
}

/** POST /v1/embeddings: OpenAI's form, in which `model` is a consumer group. */
export function groupEmbeddings(settings: Settings): ModelCall {
  return {
    ...embeddings,
    async read(context, limits) {
      const request = await embeddings.read(context, limits)
      return { ...request, model: modelOfGroup(settings, request.model) }
    },
  }
}
