/** The kinds of provider, and one provider object for each record. */
import type { ProviderRecord } from '#catalog/records.ts'
import type { Http1Client } from '#lib/http1/client.ts'
import { aiSdkKinds, aiSdkProvider } from './ai-sdk.ts'
import { anthropicProvider } from './anthropic.ts'
import { demoDescription, demoProvider } from './demo.ts'
import { googleProvider } from './google.ts'
import { openaiProvider } from './openai.ts'
import type { Provider } from './provider.ts'
import { takeoffProvider } from './takeoff.ts'
import { withoutSecrets } from './without-secrets.ts'

export interface ProviderKind {
  readonly make: (record: ProviderRecord, http1: Http1Client) => Provider
  readonly description: string
  /** False: the vendor has one address, which is used when the record names none. */
  readonly needsBaseUrl: boolean
}

/** Kinds of the AI SDK that can do more than its packages. */
const withBatches: Readonly<Record<string, ProviderKind['make']>> = {
  anthropic: anthropicProvider,
  google: googleProvider,
}

/** A new kind is one file and one entry here. */
export const providerKinds: Readonly<Record<string, ProviderKind>> = {
  openai: {
    make: openaiProvider,
    description:
      'Any server that speaks the OpenAI API: OpenAI, Azure (v1), vLLM, SGLang, TGI, llama.cpp, Ollama, LM Studio, Groq, Mistral and many more.',
    needsBaseUrl: true,
  },
  takeoff: {
    make: takeoffProvider,
    description:
      'A server of the generation interface itself (POST /generate_stream, /image_generate_stream). The name of a model at it is its consumer group.',
    needsBaseUrl: true,
  },
  demo: { make: (record) => demoProvider(record), description: demoDescription, needsBaseUrl: false },
  ...Object.fromEntries(
    Object.entries(aiSdkKinds).map(([kind, description]) => [
      kind,
      {
        make: withBatches[kind] ?? ((record: ProviderRecord) => aiSdkProvider(record)),
        description,
        needsBaseUrl: false,
      },
    ]),
  ),
}

/** Whether a provider of this kind may have several servers: it has an address of its own. */
export function mayHaveServers(kind: string): boolean {
  return providerKinds[kind]?.needsBaseUrl === true
}

/** Names that a provider record may have as its kind. */
export const providerKindNames: readonly string[] = Object.keys(providerKinds)

export class ProviderPool {
  // Records are immutable, so a changed provider has a new record and gets a new object.
  readonly #providers = new WeakMap<ProviderRecord, Provider>()
  readonly #http1: Http1Client

  /** @param http1 carries the calls of kinds that speak HTTP themselves; the caller closes it */
  constructor(http1: Http1Client) {
    this.#http1 = http1
  }

  /** The provider of a record; null when its kind is not known to this version. */
  get(record: ProviderRecord): Provider | null {
    let provider = this.#providers.get(record)
    if (provider === undefined) {
      const kind = providerKinds[record.kind]
      if (kind === undefined) return null
      provider = withoutSecrets(kind.make(record, this.#http1))
      this.#providers.set(record, provider)
    }
    return provider
  }
}
