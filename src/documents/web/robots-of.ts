/** The rules of a site for us (RFC 9309). */
import { robotsRules, type RobotsRules } from './robots.ts'
import type { SourceClient } from './source-client.ts'
import { SourceFailure } from './source-failure.ts'

const robotsBytesMax = 512 * 1024
/** What a robots.txt calls us. */
const agent = 'sluice-sources'

/** Rejects with SourceFailure where the site is unwell: then nothing may be asked for (section 2.3.1). */
export async function robotsOf(client: SourceClient, site: URL, signal: AbortSignal): Promise<RobotsRules> {
  const text = await client
    .text({ url: new URL('/robots.txt', site), signal }, robotsBytesMax)
    .catch((thrown: unknown) => {
      // Without a file all is allowed.
      if (thrown instanceof SourceFailure && thrown.status !== null && thrown.status < 500) return ''
      throw thrown
    })
  return robotsRules(text, agent)
}
