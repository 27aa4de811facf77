/**
 * The reasoning of well-known models, as data. A row holds only where the vendor's
 * documentation says so; what no row matches is unknown, which is better than wrong: an effort then
 * goes upstream unchanged, and the vendor judges it. A provider's or a model's own configuration is
 * stronger than any row. Adding a family means adding a row with its source.
 */
import type { Effort, ProviderRecord, ReasoningConfig } from './records.ts'

interface Preset {
  /** Kinds of provider that the row is about. */
  readonly kinds: readonly string[]
  /** Hosts of the base URL; `own` = a self-hosted server, `any` = wherever the model runs. */
  readonly hosts: readonly string[] | 'own' | 'any'
  /** The provider's own names of the models. */
  readonly models: RegExp
  readonly reasoning: ReasoningConfig
}

/** The word itself, where OpenAI has it. */
function words(...efforts: readonly Effort[]): ReasoningConfig {
  const values = Object.fromEntries(efforts.map((effort) => [effort, effort]))
  return { efforts, writes: efforts.length === 0 ? [] : [{ pointer: '/reasoning_effort', values }] }
}

const openaiHosts = ['api.openai.com', 'eu.api.openai.com', 'us.api.openai.com']

/**
 * OpenAI: https://platform.openai.com/docs/guides/reasoning and the description of `reasoning_effort`
 * in its API reference: before gpt-5.1 no `none`, gpt-5-pro only `high`, `xhigh` after gpt-5.1-codex-max.
 * The chat variants (such as gpt-5-chat-latest) and o1-mini, o1-preview take no effort, so that
 * every pattern ends behind the name and its date.
 */
const openai: readonly Preset[] = [
  openaiRow(/^(o1|o3|o3-mini|o4-mini)(-\d{4}-\d\d-\d\d)?$/, words('low', 'medium', 'high')),
  openaiRow(/^gpt-5(-mini|-nano)?(-\d{4}-\d\d-\d\d)?$/, words('minimal', 'low', 'medium', 'high')),
  openaiRow(/^gpt-5-pro(-\d{4}-\d\d-\d\d)?$/, words('high')),
  openaiRow(/^gpt-5\.1(-\d{4}-\d\d-\d\d)?$/, words('none', 'low', 'medium', 'high')),
  openaiRow(/^gpt-5\.[24](-\d{4}-\d\d-\d\d)?$/, words('none', 'low', 'medium', 'high', 'xhigh')),
  openaiRow(
    /^(gpt-3\.5-turbo|gpt-4|gpt-4-turbo|gpt-4o|gpt-4o-mini|gpt-4\.1|gpt-4\.1-mini|gpt-4\.1-nano)(-\d{4}-\d\d-\d\d)?$/,
    words(),
  ),
]

function openaiRow(models: RegExp, reasoning: ReasoningConfig): Preset {
  return { kinds: ['openai'], hosts: openaiHosts, models, reasoning }
}

/**
 * Claude with thinking by budget: https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking.
 * In the OpenAI dialect `reasoning_effort` is ignored and `thinking` is taken
 * (https://docs.anthropic.com/en/api/openai-sdk); a budget must be at least 1024 and below `max_tokens`.
 * The adapter of kind `anthropic` makes a budget of the word itself. Later Claudes think adaptively and
 * take other fields: they are left unknown.
 */
const budgetClaude = /^claude-(3-7-sonnet|(opus|sonnet|haiku)-4|(opus|sonnet|haiku)-4-[15])(-\d{8}|-latest|-0)?$/

const anthropic: readonly Preset[] = [
  { kinds: ['anthropic'], hosts: 'any', models: budgetClaude, reasoning: words('none', 'low', 'medium', 'high') },
  {
    kinds: ['openai'],
    hosts: ['api.anthropic.com'],
    models: budgetClaude,
    reasoning: {
      efforts: ['none', 'low', 'medium', 'high'],
      writes: [
        {
          pointer: '/thinking',
          values: {
            none: { type: 'disabled' },
            low: { type: 'enabled', budget_tokens: 1024 },
            medium: { type: 'enabled', budget_tokens: 4096 },
            high: { type: 'enabled', budget_tokens: 16_384 },
          },
        },
      ],
    },
  },
]

/**
 * Gemini: https://ai.google.dev/gemini-api/docs/openai#thinking and
 * https://ai.google.dev/gemini-api/docs/thinking: budgets behind the words up to 2.5, levels from 3 on;
 * thinking cannot be switched off for 2.5 Pro and for 3.
 */
const gemini: readonly Preset[] = [
  geminiRow(/^(models\/)?gemini-2\.5-flash(-lite)?$/, words('none', 'low', 'medium', 'high')),
  geminiRow(/^(models\/)?gemini-2\.5-pro$/, words('low', 'medium', 'high')),
  geminiRow(/^(models\/)?gemini-3-pro-preview$/, words('low', 'high')),
  geminiRow(/^(models\/)?gemini-3-flash-preview$/, words('minimal', 'low', 'medium', 'high')),
  geminiRow(/^(models\/)?gemini-2\.0-flash(-lite)?(-001)?$/, words()),
]

function geminiRow(models: RegExp, reasoning: ReasoningConfig): Preset {
  return { kinds: ['openai', 'google'], hosts: ['generativelanguage.googleapis.com'], models, reasoning }
}

/** Grok: https://docs.x.ai/docs/guides/reasoning. Grok 4 itself reasons, and refuses the field. */
const grok: readonly Preset[] = [
  grokRow(/^grok-3-mini(-fast)?(-beta|-latest)?$/, words('low', 'high')),
  grokRow(/^grok-4\.3(-latest)?$/, words('none', 'low', 'medium', 'high')),
  grokRow(/^grok-4\.5(-latest)?$/, words('low', 'medium', 'high')),
]

function grokRow(models: RegExp, reasoning: ReasoningConfig): Preset {
  return { kinds: ['openai'], hosts: ['api.x.ai'], models, reasoning }
}

const others: readonly Preset[] = [
  // https://api-docs.deepseek.com/guides/thinking_mode: a switch, and beside it the word.
  {
    kinds: ['openai'],
    hosts: ['api.deepseek.com'],
    models: /^deepseek-(v4-pro|v4-flash|flash)$/,
    reasoning: {
      efforts: ['none', 'low', 'high', 'max'],
      writes: [
        {
          pointer: '/thinking',
          values: {
            none: { type: 'disabled' },
            low: { type: 'enabled' },
            high: { type: 'enabled' },
            max: { type: 'enabled' },
          },
        },
        { pointer: '/reasoning_effort', values: { low: 'low', high: 'high', max: 'max' } },
      ],
    },
  },
  // https://docs.mistral.ai/capabilities/reasoning: adjustable reasoning knows only these two.
  {
    kinds: ['openai', 'mistral'],
    hosts: ['api.mistral.ai'],
    models: /^(magistral-(small|medium)-latest|mistral-small-(latest|2603)|mistral-medium-(latest|2604|3-5))$/,
    reasoning: words('none', 'high'),
  },
  // https://huggingface.co/openai/gpt-oss-120b: three levels, and every server that runs it takes the word.
  {
    kinds: ['openai'],
    hosts: 'any',
    models: /(^|\/)gpt-oss[-:](20b|120b)$/,
    reasoning: words('low', 'medium', 'high'),
  },
  // https://huggingface.co/Qwen/Qwen3-32B: the first Qwen3 models think unless the chat template is told
  // otherwise, which vLLM, SGLang and llama.cpp let a request do. Later ones either think or do not.
  {
    kinds: ['openai'],
    hosts: 'own',
    models: /^Qwen\/Qwen3-\d+(\.\d+)?B(-A\d+B)?(-FP8|-AWQ|-GPTQ-Int4|-GPTQ-Int8)?$/,
    reasoning: {
      efforts: ['none', 'high'],
      writes: [{ pointer: '/chat_template_kwargs/enable_thinking', values: { none: false, high: true } }],
    },
  },
]

const presets: readonly Preset[] = [...openai, ...anthropic, ...gemini, ...grok, ...others]

/** Kinds whose adapter knows the vendor's address by itself. */
const vendorHosts: Readonly<Record<string, string>> = {
  google: 'generativelanguage.googleapis.com',
  mistral: 'api.mistral.ai',
}

/** The preset of this model at this provider; null without one. */
export function presetReasoning(
  { kind, baseUrl }: Pick<ProviderRecord, 'kind' | 'baseUrl'>,
  upstreamName: string,
): ReasoningConfig | null {
  const host = baseUrl === '' ? (vendorHosts[kind] ?? '') : hostOf(baseUrl)
  const found = presets.find(
    (preset) => preset.kinds.includes(kind) && isAt(preset.hosts, host) && preset.models.test(upstreamName),
  )
  return found?.reasoning ?? null
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : ''
}

function isAt(hosts: Preset['hosts'], host: string): boolean {
  if (hosts === 'any') return true
  return hosts === 'own' ? ownHost.test(host) : hosts.includes(host)
}

/** An address, a name without a dot, or a name of a private network: no vendor is reached by these. */
const ownHost = /^(\d+\.\d+\.\d+\.\d+|\[.*\]|[^.]+|.*\.(local|internal|lan|svc))$/
