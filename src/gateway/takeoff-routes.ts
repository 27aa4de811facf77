/** What the Takeoff client calls beside the generation endpoints (src/generation/routes.ts), answered by the gateway's models. */
import type { ErrorCode } from '#errors/catalogue.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { groupError } from './admission/resolve-group.ts'
import { answers } from './endpoints/answers.ts'
import { modelCallErrors } from './endpoints/model-call-rows.ts'
import { requests } from './endpoints/requests.ts'
import type { Gateway } from './gateway.ts'
import { serveClassify } from './serve-classify.ts'
import { serveModelCall } from './serve-model-call.ts'
import { classifyAnswer, classifyBody } from './takeoff/classify.ts'
import { embedAnswer, embedBody, embedCall, groupEmbeddings } from './takeoff/embed.ts'
import { listReaderGroups, readerGroups, takeoffStatus, takeoffStatusOf } from './takeoff/readers.ts'
import {
  detokenize,
  detokenizeAnswer,
  detokenizeBody,
  tokenize,
  tokenizeAnswer,
  tokenizeBody,
} from './takeoff/tokens.ts'

const tag = 'Generation'
const access = 'generation'
const groupErrors: readonly ErrorCode[] = [
  ...modelCallErrors,
  'consumer_group_not_found',
  'validation_failed',
  'origin_denied',
]
const readerErrors: readonly ErrorCode[] = ['store_unavailable', 'origin_denied']
const tokenErrors: readonly ErrorCode[] = [
  ...readerErrors,
  'invalid_json',
  'body_timeout',
  'request_too_large',
  'unsupported_media_type',
  'validation_failed',
  'model_not_found',
  'model_access_denied',
  'inflight_limit_exceeded',
]

/** Rows of the route table; a key is not needed where the generation endpoints need none. */
export function takeoffRoutes(gateway: Gateway): Route<Caller>[] {
  return [...modelRoutes(gateway), ...tokenRoutes(gateway), ...readerRoutes(gateway)]
}

function modelRoutes(gateway: Gateway): Route<Caller>[] {
  const { settings } = gateway
  return [
    {
      method: 'POST',
      path: '/embed',
      access,
      docs: {
        tag,
        operation: 'embed',
        summary: 'Turn texts into vectors',
        body: embedBody,
        answer: embedAnswer,
        errors: groupErrors,
      },
      handle: (context, caller) => serveEmbed(gateway, context, caller),
    },
    {
      method: 'POST',
      path: '/v1/embeddings',
      access,
      docs: {
        tag,
        operation: 'embedForGroup',
        ...answers.embeddings,
        summary: "Turn texts into vectors; the model may be a consumer group, as the Takeoff client's embed has it",
        body: requests.embeddings,
        errors: [...modelCallErrors, 'origin_denied'],
      },
      handle: (context, caller) => serveModelCall(gateway, context, caller, groupEmbeddings(settings)),
    },
    {
      method: 'POST',
      path: '/classify',
      access,
      docs: {
        tag,
        operation: 'classify',
        summary: 'Score how well documents fit their queries',
        body: classifyBody,
        answer: classifyAnswer,
        errors: groupErrors,
      },
      handle: (context, caller) => serveClassify(gateway, context, caller),
    },
  ]
}

function tokenRoutes(gateway: Gateway): Route<Caller>[] {
  return [
    {
      method: 'POST',
      path: '/tokenize/*group',
      access,
      docs: {
        tag,
        operation: 'tokenize',
        summary: 'A text in tokens of o200k_base',
        body: tokenizeBody,
        answer: tokenizeAnswer,
        errors: tokenErrors,
      },
      handle: (context, caller) => tokenize(gateway, context, caller),
    },
    {
      method: 'POST',
      path: '/detokenize/*group',
      access,
      docs: {
        tag,
        operation: 'detokenize',
        summary: 'The text of tokens of o200k_base, or of their ids',
        body: detokenizeBody,
        answer: detokenizeAnswer,
        errors: tokenErrors,
      },
      handle: (context, caller) => detokenize(gateway, context, caller),
    },
  ]
}

function readerRoutes(gateway: Gateway): Route<Caller>[] {
  return [
    {
      method: 'GET',
      path: '/reader_groups',
      access,
      docs: {
        tag,
        operation: 'listReaderGroups',
        summary: 'The consumer groups and models that the caller can name',
        answer: readerGroups,
        errors: readerErrors,
      },
      handle: (_, caller) => json(listReaderGroups(gateway, caller)),
    },
    {
      method: 'GET',
      path: '/status',
      access,
      docs: {
        tag,
        operation: 'getTakeoffStatus',
        summary: 'The models that the caller can name, as the Takeoff client reads them',
        answer: takeoffStatus,
        errors: readerErrors,
      },
      handle: (_, caller) => json(takeoffStatusOf(gateway, caller)),
    },
  ]
}

async function serveEmbed(gateway: Gateway, context: RequestContext, caller: Caller): Promise<Response> {
  const asked = embedCall(gateway.settings)
  try {
    return await serveModelCall(gateway, context, caller, asked.call)
  } catch (thrown) {
    throw groupError(thrown, asked.group())
  }
}
