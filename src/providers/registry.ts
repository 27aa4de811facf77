/** The kinds of provider, and one provider object for each record. */
import type { ProviderRecord } from '#catalog/records.ts'
import { demoProvider } from './demo.ts'
import { openaiProvider } from './openai.ts'
import type { Provider } from './provider.ts'

/** A new kind is one file and one line here. */
const kinds: Readonly<Record<string, (record: ProviderRecord) => Provider>> = {
  openai: openaiProvider,
  demo: demoProvider,
}

/** Names that a provider record may have as its kind. */
export const providerKinds: readonly string[] = Object.keys(kinds)

export class ProviderPool {
  // Records are immutable, so a changed provider has a new record and gets a new object.
  readonly #providers = new WeakMap<ProviderRecord, Provider>()

  /** The provider of a record; null when its kind is not known to this version. */
  get(record: ProviderRecord): Provider | null {
    let provider = this.#providers.get(record)
    if (provider === undefined) {
      const make = kinds[record.kind]
      if (make === undefined) return null
      provider = make(record)
      this.#providers.set(record, provider)
    }
    return provider
  }
}
