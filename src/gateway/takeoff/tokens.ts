/**
 * Texts as tokens and back, for the Takeoff client. Providers have no such endpoint in common, so the tokens are those of
 * o200k_base: of a model with another tokenizer an estimate, which a round trip still gives back unchanged.
 */
import { z } from '#lib/schema.ts'
import type { Model } from '#catalog/catalog.ts'
import { ApiError } from '#errors/api-error.ts'
import { readJson } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import { validBody } from '#http/validate.ts'
import type { Caller } from '#identity/records.ts'
import { passedJsonLimits } from '#lib/bounded-json.ts'
import { isObject } from '#lib/json-value.ts'
import { listTokensFor, textOfTokens } from '#lib/tokens/tokens.ts'
import type { AdmissionDeps } from '../admission/admit.ts'
import { modelOfGroup } from '../admission/resolve-group.ts'
import { resolveModel } from '../admission/resolve-model.ts'

type Deps = Pick<AdmissionDeps, 'settings' | 'catalog'>

const charactersMax = 4_194_304
const tokensMax = 262_144

export const tokenizeBody = z
  .object({
    text: z.string().max(charactersMax),
    use_chat_template: z.boolean().nullish().describe('Has no effect: the template is with the server of the model'),
  })
  .meta({ id: 'TokenizeRequest' })
export const tokenizeAnswer = z
  .object({ tokens: z.array(z.string()), tokens_count: z.int() })
  .meta({ id: 'TokenizeAnswer' })

/** POST /tokenize/{reader}: the text in tokens. Answers 4xx and 503 by throwing. */
export async function tokenize(deps: Deps, context: RequestContext, caller: Caller): Promise<Response> {
  readerOf(deps, context, caller)
  const { text } = validBody(tokenizeBody, await bodyOf(deps, context))
  const listed = await listTokensFor(caller.account.user.id, text)
  if (listed === null) {
    throw new ApiError('inflight_limit_exceeded', {
      message: 'Too much text of your account waits to be counted. Try again when those requests have finished.',
    })
  }
  return context.respond(`{"tokens":[${listed.json}],"tokens_count":${listed.count}}`, {
    status: 200,
    headers: { 'content-type': 'application/json' },
  })
}

export const detokenizeBody = z
  .object({
    tokens: z.union([z.array(z.string()).max(tokensMax), z.array(z.int().min(0)).max(tokensMax)]),
    skip_special_tokens: z.boolean().nullish().describe('Has no effect: there are no special tokens'),
  })
  .meta({ id: 'DetokenizeRequest' })
export const detokenizeAnswer = z.object({ text: z.string() }).meta({ id: 'DetokenizeAnswer' })

/** POST /detokenize/{reader}: the text of tokens, or of their ids. Answers 4xx and 503 by throwing. */
export async function detokenize(deps: Deps, context: RequestContext, caller: Caller): Promise<Response> {
  readerOf(deps, context, caller)
  const tokens = tokensOf(await bodyOf(deps, context))
  const text = isTexts(tokens) ? tokens.join('') : await textOfTokens(tokens)
  if (text === undefined) {
    throw new ApiError('validation_failed', {
      param: 'tokens',
      message: '"tokens": expected ids of the vocabulary o200k_base, or tokens as text.',
    })
  }
  return json({ text })
}

/** What `detokenizeBody` says, in one pass: its schema takes too long for a list of this length. Answers 422 by throwing. */
function tokensOf(body: unknown): readonly string[] | readonly number[] {
  const sent = isObject(body) ? body['tokens'] : undefined
  const tokens: readonly unknown[] | null = Array.isArray(sent) && sent.length <= tokensMax ? sent : null
  if (tokens !== null && (isTexts(tokens) || isIds(tokens))) return tokens
  throw new ApiError('validation_failed', {
    param: 'tokens',
    message: `"tokens": expected a list of texts, or of whole numbers from 0, with at most ${tokensMax} entries.`,
  })
}

function isTexts(tokens: readonly unknown[]): tokens is readonly string[] {
  return tokens.every((token) => typeof token === 'string')
}

function isIds(tokens: readonly unknown[]): tokens is readonly number[] {
  return tokens.every((token) => Number.isInteger(token) && Number(token) >= 0)
}

/** A reader is a model that the caller may use, by any of its names. */
function readerOf({ settings, catalog }: Deps, { params }: RequestContext, caller: Caller): Model {
  return resolveModel(catalog(), modelOfGroup(settings, params['group'] ?? ''), caller)
}

async function bodyOf({ settings }: Deps, context: RequestContext): Promise<unknown> {
  const { value } = await readJson(context, {
    bytesMax: settings.get('server.max_body_bytes'),
    readSeconds: settings.get('server.body_read_seconds'),
    json: passedJsonLimits,
  })
  return value
}
