/**
 * Upstreams that people have: where they are reached and which environment variable usually holds
 * their key. Data for setting up a provider with one word; nothing here is used by a request.
 * Adding one means adding a row.
 */

interface PresetBase {
  /** What it is called on the command line, and the provider's name unless another is given. */
  readonly name: string
  readonly title: string
  /** A key of the provider registry. */
  readonly kind: string
}

/** A vendor's service. */
export interface VendorPreset extends PresetBase {
  readonly place: 'vendor'
  readonly baseUrl: string
  /** Environment variables that usually hold the API key, the preferred one first. */
  readonly credentialVariables: readonly [string, ...string[]]
  /** Headers that the service wants besides the key. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A server that usually runs on the same machine, without a key. */
export interface LocalPreset extends PresetBase {
  readonly place: 'local'
  /** Its usual port on 127.0.0.1; the API is below /v1. */
  readonly port: number
}

export type ProviderPreset = VendorPreset | LocalPreset

const vendor = { place: 'vendor', kind: 'openai' } as const
const local = { place: 'local', kind: 'openai' } as const

export const localPresets = [
  { ...local, name: 'ollama', title: 'Ollama', port: 11434 },
  { ...local, name: 'lmstudio', title: 'LM Studio', port: 1234 },
  { ...local, name: 'llamacpp', title: 'llama.cpp', port: 8080 },
  { ...local, name: 'vllm', title: 'vLLM', port: 8000 },
] as const satisfies readonly LocalPreset[]

export const vendorPresets: readonly VendorPreset[] = [
  {
    ...vendor,
    name: 'openai',
    title: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    credentialVariables: ['OPENAI_API_KEY'],
  },
  {
    ...vendor,
    name: 'anthropic',
    title: 'Anthropic',
    // Its endpoint in the OpenAI dialect: https://docs.anthropic.com/en/api/openai-sdk
    baseUrl: 'https://api.anthropic.com/v1',
    credentialVariables: ['ANTHROPIC_API_KEY'],
    headers: { 'anthropic-version': '2023-06-01' },
  },
  {
    ...vendor,
    name: 'gemini',
    title: 'Google Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    credentialVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  },
  {
    ...vendor,
    name: 'mistral',
    title: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    credentialVariables: ['MISTRAL_API_KEY'],
  },
  {
    ...vendor,
    name: 'groq',
    title: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    credentialVariables: ['GROQ_API_KEY'],
  },
  {
    ...vendor,
    name: 'openrouter',
    title: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    credentialVariables: ['OPENROUTER_API_KEY'],
  },
  {
    ...vendor,
    name: 'deepseek',
    title: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    credentialVariables: ['DEEPSEEK_API_KEY'],
  },
  { ...vendor, name: 'xai', title: 'xAI', baseUrl: 'https://api.x.ai/v1', credentialVariables: ['XAI_API_KEY'] },
  {
    ...vendor,
    name: 'together',
    title: 'Together AI',
    baseUrl: 'https://api.together.xyz/v1',
    credentialVariables: ['TOGETHER_API_KEY'],
  },
  {
    ...vendor,
    name: 'fireworks',
    title: 'Fireworks AI',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    credentialVariables: ['FIREWORKS_API_KEY'],
  },
  {
    ...vendor,
    name: 'cerebras',
    title: 'Cerebras',
    baseUrl: 'https://api.cerebras.ai/v1',
    credentialVariables: ['CEREBRAS_API_KEY'],
  },
  {
    ...vendor,
    name: 'nvidia',
    title: 'NVIDIA',
    baseUrl: 'https://integrate.api.nvidia.com/v1',
    credentialVariables: ['NVIDIA_API_KEY'],
  },
]

export const providerPresets: readonly ProviderPreset[] = [...localPresets, ...vendorPresets]

/** Where a preset is reached unless its options say otherwise. */
export function presetBaseUrl(preset: ProviderPreset): string {
  return preset.place === 'local' ? `http://127.0.0.1:${preset.port}/v1` : preset.baseUrl
}
