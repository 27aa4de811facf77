/**
 * What a request becomes at one upstream: which endpoint, which fields, which name of the model; or
 * which field of the payload that upstream cannot honour. Made once for each upstream of the model
 * before anything is sent, so that a field is refused, and never dropped.
 */
import type { Upstream } from '#catalog/upstream.ts'
import type { JsonValue } from '#lib/json-value.ts'
import type { Endpoint, Provider } from '#providers/provider.ts'
import { writeFields, type Fields } from './fields.ts'
import type { Flavour } from './flavour.ts'
import type { GenerationRequest } from '../request/read-request.ts'

export interface UpstreamPlan {
  readonly flavour: Flavour
  readonly endpoint: Endpoint
  /** The upstream's name of the model, or of the adapter that was asked for. */
  readonly upstreamModel: string
  /** Beside the model, the prompt and the image. */
  readonly fields: Fields
  /** The server finds an image again by its digest, so that it needs to be sent once only. */
  readonly remembersImages: boolean
}

export type Planned =
  | { readonly kind: 'plan'; readonly plan: UpstreamPlan }
  | { readonly kind: 'unsupported'; readonly field: string }

/** @param chatTemplate for text when the payload does not say */
export function planUpstream(
  request: GenerationRequest,
  upstream: Upstream,
  provider: Provider,
  { flavour, chatTemplate }: { readonly flavour: Flavour; readonly chatTemplate: boolean },
): Planned {
  const base = { flavour, remembersImages: flavour === 'vllm' && upstream.provider.options['media_uuid'] !== false }
  if (flavour === 'takeoff') return takeoffPlan(request, upstream, base)
  const { parameters, constraint } = request.payload
  const raw = !(parameters.useChatTemplate ?? (request.image !== null || chatTemplate))
  const endpoint = raw ? 'completions' : 'chat/completions'
  if (!provider.endpoints.has(endpoint)) return unsupported(raw ? 'use_chat_template' : 'consumer_group')
  const lacking = lackingIn(request, upstream, raw)
  if (lacking !== null) return unsupported(lacking)
  const written = writeFields(flavour, parameters, constraint, raw)
  if (written.kind === 'unsupported') return written
  const adapter = parameters.loraId === null ? {} : adapterOf(upstream, flavour, parameters.loraId)
  if (adapter === null) return unsupported('lora_id')
  const { model, ...adapterFields } = adapter
  const upstreamModel = typeof model === 'string' ? model : upstream.upstreamName
  return { kind: 'plan', plan: { ...base, endpoint, upstreamModel, fields: { ...written.fields, ...adapterFields } } }
}

/** What a server of no flavour could do for this upstream. */
function lackingIn({ payload, image }: GenerationRequest, upstream: Upstream, raw: boolean): string | null {
  if (raw && image !== null) return 'use_chat_template'
  if (image !== null && upstream.model.capabilities.input?.includes('image') === false) return 'image_data'
  const { backend } = payload.parameters
  const isListed =
    backend === null ||
    upstream.provider.kind === 'demo' ||
    names(upstream, 'constrained_decoding_backends').has(backend)
  return isListed ? null : 'constrained_decoding_backend'
}

/** It takes the payload itself, except for what this gateway decides. */
function takeoffPlan(
  { payload, image }: GenerationRequest,
  upstream: Upstream,
  base: Pick<UpstreamPlan, 'flavour' | 'remembersImages'>,
): Planned {
  const { text: _, image_paths: __, consumer_group: ___, ...given } = payload.given
  const plan: UpstreamPlan = {
    ...base,
    endpoint: image === null ? 'generate_stream' : 'image_generate_stream',
    upstreamModel: upstream.upstreamName,
    fields: given as Fields,
  }
  return { kind: 'plan', plan }
}

/**
 * Adapters are those that the provider's `options.loras` lists, by the name that callers use: the
 * name or path of another could be anything that the server has, regardless of who may use it.
 */
function adapterOf(upstream: Upstream, flavour: Flavour, loraId: string): Fields | null {
  if (flavour === 'demo') return {}
  const id = names(upstream, 'loras').get(loraId)
  if (id === undefined) return null
  if (flavour === 'sglang') return { lora_path: id }
  if (flavour === 'llamacpp') return { lora: [{ id, scale: 1 }] }
  return { model: id }
}

/** An option that is a list of names, or a mapping from names to what the server calls them. */
function names({ provider }: Upstream, option: string): ReadonlyMap<string, JsonValue> {
  const listed = provider.options[option]
  if (Array.isArray(listed))
    return new Map((listed as readonly JsonValue[]).flatMap((name) => (typeof name === 'string' ? [[name, name]] : [])))
  return new Map(typeof listed === 'object' && listed !== null ? Object.entries(listed) : [])
}

function unsupported(field: string): Planned {
  return { kind: 'unsupported', field }
}
