/** Fetches pages that people name, under the rules of their sites; the rules of a site are kept for a while. */
import type { Clock } from '#lib/clock.ts'
import { robotsOf } from './robots-of.ts'
import type { RobotsRules } from './robots.ts'
import type { ReceivedHead, SourceClient } from './source-client.ts'
import { SourceFailure } from './source-failure.ts'

export interface PageFetcherOptions {
  readonly client: SourceClient
  readonly clock: Pick<Clock, 'elapsed'>
}

const keptMs = 600_000
const sitesMax = 200
const accept = 'text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.5'

export class PageFetcher {
  readonly #options: PageFetcherOptions
  readonly #sites = new Map<string, { readonly rules: RobotsRules; readonly until: number }>()

  constructor(options: PageFetcherOptions) {
    this.#options = options
  }

  /** The page, whose pieces `receive` takes. Each address on the way is asked for only if its site allows that. Rejects with SourceFailure. */
  fetch<T>(
    url: URL,
    signal: AbortSignal,
    receive: (pieces: AsyncIterable<Uint8Array>, head: ReceivedHead) => Promise<T>,
  ): Promise<T> {
    const allows = async (each: URL): Promise<void> => {
      const rules = await this.#rulesOf(each, signal)
      if (rules(each.pathname + each.search)) return
      throw new SourceFailure(`The robots.txt of ${each.host} forbids this address.`)
    }
    return this.#options.client.bytes({ url, headers: { accept }, signal, allows }, receive)
  }

  async #rulesOf(url: URL, signal: AbortSignal): Promise<RobotsRules> {
    const { client, clock } = this.#options
    const kept = this.#sites.get(url.origin)
    if (kept !== undefined && kept.until > clock.elapsed()) return kept.rules
    const rules = await robotsOf(client, url, signal)
    this.#sites.delete(url.origin)
    this.#sites.set(url.origin, { rules, until: clock.elapsed() + keptMs })
    const [oldest] = this.#sites.keys()
    if (this.#sites.size > sitesMax && oldest !== undefined) this.#sites.delete(oldest)
    return rules
  }
}
