/** What the catalogue knows of a model in words: its kind, its vendor, its price. Nothing here touches the page. */
import type { UsableModel } from '../../api/schema.d.ts'

/** Kinds of models, by the first endpoint of each that the model has. */
export const modelKinds = {
  chat: { label: 'Chat', endpoints: ['chat/completions', 'responses', 'messages'] },
  completion: { label: 'Completion', endpoints: ['completions'] },
  embedding: { label: 'Embeddings', endpoints: ['embeddings'] },
  rerank: { label: 'Rerank', endpoints: ['rerank'] },
  image: { label: 'Images', endpoints: ['images/generations', 'images/edits', 'images/variations'] },
  transcription: { label: 'Speech to text', endpoints: ['audio/transcriptions', 'audio/translations'] },
  speech: { label: 'Text to speech', endpoints: ['audio/speech'] },
  moderation: { label: 'Moderation', endpoints: ['moderations'] },
} as const satisfies Record<string, { readonly label: string; readonly endpoints: readonly string[] }>

export type ModelKind = keyof typeof modelKinds
export const kindNames = Object.keys(modelKinds) as readonly ModelKind[]

/** The kind of a model; null while its endpoints are unknown. */
export function kindOf({ capabilities: { endpoints } }: Pick<UsableModel, 'capabilities'>): ModelKind | null {
  if (endpoints === undefined) return null
  return kindNames.find((kind) => modelKinds[kind].endpoints.some((each) => endpoints.includes(each))) ?? null
}

/** What a model may be asked to have, and how it shows that. */
export const abilities = {
  tools: { label: 'Tools', has: ({ capabilities }) => capabilities.tools === true },
  json_schema: { label: 'JSON schema', has: ({ capabilities }) => capabilities.json_schema === true },
  reasoning: { label: 'Reasoning', has: ({ capabilities }) => capabilities.reasoning === true },
  image: { label: 'Image input', has: ({ capabilities }) => capabilities.input?.includes('image') === true },
  audio: { label: 'Audio input', has: ({ capabilities }) => capabilities.input?.includes('audio') === true },
} as const satisfies Record<
  string,
  { readonly label: string; readonly has: (model: Pick<UsableModel, 'capabilities'>) => boolean }
>

export type Ability = keyof typeof abilities
export const abilityNames = Object.keys(abilities) as readonly Ability[]

export interface Vendor {
  readonly name: string
  /** One or two letters, in place of a mark that belongs to others. */
  readonly letters: string
  /** Which of the colours of charts it has, so that neighbours differ. */
  readonly tone: 1 | 2 | 3 | 4 | 5
}

/** Who has made a model, by how makers name theirs: the first that matches. */
const vendors: readonly (readonly [pattern: RegExp, vendor: Vendor])[] = [
  [/claude/, { name: 'Anthropic', letters: 'An', tone: 2 }],
  [
    /gpt|davinci|whisper|dall-e|tts-1|text-embedding|omni-moderation|^o[134](-|$)|sora/,
    { name: 'OpenAI', letters: 'Oa', tone: 1 },
  ],
  [/gemini|gemma|imagen|veo|palm/, { name: 'Google', letters: 'Go', tone: 5 }],
  [
    /mistral|mixtral|codestral|ministral|pixtral|voxtral|magistral|devstral/,
    { name: 'Mistral AI', letters: 'Mi', tone: 2 },
  ],
  [/llama/, { name: 'Meta', letters: 'Me', tone: 1 }],
  [/qwen|qwq|wan2/, { name: 'Alibaba', letters: 'Qw', tone: 3 }],
  [/deepseek/, { name: 'DeepSeek', letters: 'De', tone: 3 }],
  [/command|rerank-|embed-(english|multilingual|v)|cohere|aya/, { name: 'Cohere', letters: 'Co', tone: 4 }],
  [/grok/, { name: 'xAI', letters: 'xA', tone: 1 }],
  [/phi-|phi[34]/, { name: 'Microsoft', letters: 'Ms', tone: 5 }],
  [/nova|titan/, { name: 'Amazon', letters: 'Am', tone: 2 }],
  [/nemotron|nvidia/, { name: 'NVIDIA', letters: 'Nv', tone: 5 }],
  [/kimi|moonshot/, { name: 'Moonshot AI', letters: 'Ki', tone: 3 }],
  [/glm/, { name: 'Zhipu AI', letters: 'Gl', tone: 1 }],
  [/minimax/, { name: 'MiniMax', letters: 'Mm', tone: 4 }],
  [/bge|baai/, { name: 'BAAI', letters: 'Ba', tone: 4 }],
  [/jina/, { name: 'Jina AI', letters: 'Ji', tone: 3 }],
  [/voyage/, { name: 'Voyage AI', letters: 'Vo', tone: 4 }],
  [/nomic/, { name: 'Nomic', letters: 'No', tone: 5 }],
  [/flux/, { name: 'Black Forest Labs', letters: 'Bf', tone: 4 }],
  [/stable-?diffusion|sdxl/, { name: 'Stability AI', letters: 'St', tone: 3 }],
]

/** The vendor of a model as its name tells; its provider where that does not. */
export function vendorOf({ name, provider }: Pick<UsableModel, 'name' | 'provider'>): Vendor {
  const text = name.toLowerCase()
  const known = vendors.find(([pattern]) => pattern.test(text))?.[1]
  if (known !== undefined) return known
  const letters = provider.replaceAll(/[^\p{L}\p{N}]/gu, '').slice(0, 2) || '?'
  return { name: provider, letters: letters.charAt(0).toUpperCase() + letters.slice(1), tone: 1 }
}

/** The rate by which prices are compared: of a million tokens of input, or of what else is priced; null = unknown. */
export function comparedRate({ rates }: Pick<UsableModel, 'rates'>): number | null {
  if (rates === null) return null
  const { input, output, request, image, second } = rates
  return input ?? output ?? request ?? image ?? second ?? 0
}
