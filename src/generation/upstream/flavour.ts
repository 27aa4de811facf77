/**
 * Which server a provider uses: they all speak the OpenAI API, and each has fields of its
 * own beside it. The flavour is what `options.flavour` says, else what the server's list of models
 * gives away, asked for once.
 */
import type { ProviderRecord } from '#catalog/records.ts'
import type { Clock } from '#lib/clock.ts'
import type { Provider } from '#providers/provider.ts'

export const flavours = [
  'openai',
  'vllm',
  'sglang',
  'llamacpp',
  'tgi',
  'lmdeploy',
  'ollama',
  'takeoff',
  'demo',
] as const
export type Flavour = (typeof flavours)[number]

/** What servers write as the owner of their models. */
const byOwner: Readonly<Record<string, Flavour>> = {
  vllm: 'vllm',
  sglang: 'sglang',
  llamacpp: 'llamacpp',
  lmdeploy: 'lmdeploy',
  library: 'ollama',
}
const askMs = 2000
/** How long the answer of a server that could not be asked counts as "nothing special". */
const unknownMs = 30_000

interface Known {
  readonly flavour: Promise<Flavour | null>
  readonly askedAt: number
}

export class FlavourRegistry {
  readonly #clock: Clock
  // Records are immutable: a changed provider is asked again.
  readonly #known = new WeakMap<ProviderRecord, Known>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Never rejects; a server that cannot be asked counts as plain OpenAI, and is asked again later. */
  async of(provider: Provider): Promise<Flavour> {
    const { record } = provider
    if (record.kind === 'demo') return 'demo'
    const set = flavours.find((flavour) => flavour !== 'demo' && flavour === record.options['flavour'])
    if (set !== undefined) return set
    if (record.kind === 'takeoff') return 'takeoff'
    if (record.kind !== 'openai') return 'openai'
    let known = this.#known.get(record)
    if (known === undefined || this.#clock.elapsed() - known.askedAt > unknownMs) {
      known = { flavour: ask(provider), askedAt: this.#clock.elapsed() }
      this.#known.set(record, known)
    }
    const flavour = await known.flavour
    if (flavour !== null) this.#known.set(record, { flavour: known.flavour, askedAt: Infinity })
    return flavour ?? 'openai'
  }
}

async function ask(provider: Provider): Promise<Flavour | null> {
  try {
    const [first] = await provider.discover(AbortSignal.timeout(askMs))
    if (first?.ownedBy === undefined) return 'openai'
    // TGI names itself nowhere, but writes the model's own name as its owner.
    return byOwner[first.ownedBy] ?? (first.ownedBy === first.id ? 'tgi' : 'openai')
  } catch {
    return null
  }
}
