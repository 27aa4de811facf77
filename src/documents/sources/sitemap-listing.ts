/**
 * Pages that a sitemap names (https://www.sitemaps.org/protocol.html), or a single page: what is not a sitemap is the page itself.
 * Only pages of the sitemap's own site, and none that its robots.txt forbids to us.
 */
import { childOf, childrenOf, parseXml, textOf, type XmlElement } from '#readers/xml.ts'
import { filesMax, SourceFailure, type ListedFile, type SourceListing } from './listing.ts'
import { robotsAllow } from './robots.ts'
import type { SourceClient } from './source-client.ts'

/** More would hold up the process while it is parsed; a large site has several sitemaps. */
const sitemapBytesMax = 10 * 1024 * 1024
const sitemapsMax = 500
const robotsBytesMax = 512 * 1024

export function sitemapListing(url: URL, client: SourceClient): SourceListing {
  return {
    versionIsContent: false,
    headersFor: () => ({ accept: 'text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.5' }),
    async *list(signal) {
      const robots = await client
        .text({ url: new URL('/robots.txt', url), signal }, robotsBytesMax)
        .catch(withoutRobots)
      const allows = (page: URL): boolean => robotsAllow(robots, 'sluice-sources', page.pathname + page.search)
      const seen = new Set<string>()
      const sitemaps = [url]
      for (let next = sitemaps.pop(); next !== undefined; next = sitemaps.pop()) {
        if (seen.has(next.href) || !allows(next)) continue
        seen.add(next.href)
        if (seen.size > filesMax + sitemapsMax || sitemaps.length > filesMax)
          throw new SourceFailure('The sitemaps name too many others.')
        const root = sitemapOf(await client.text({ url: next, signal }, sitemapBytesMax))
        if (root === null && next === url) yield pageOf(url, '')
        const named = root === null ? [] : entriesOf(root, url).filter(({ page }) => allows(page))
        if (root?.name === 'sitemapindex') sitemaps.push(...named.map(({ page }) => page).slice(0, sitemapsMax))
        else
          for (const { page, modified } of named.filter((each) => !seen.has(each.page.href))) {
            seen.add(page.href)
            yield pageOf(page, modified)
          }
      }
    },
  }
}

/** RFC 9309 section 2.3.1: without a file all is allowed; where the server is unwell nothing is. */
function withoutRobots(thrown: unknown): string {
  if (thrown instanceof SourceFailure && /status 4\d\d/.test(thrown.message)) return ''
  throw thrown
}

function sitemapOf(text: string): XmlElement | null {
  try {
    const root = parseXml(text.replace(/^\uFEFF/, ''))
    return root.name === 'urlset' || root.name === 'sitemapindex' ? root : null
  } catch {
    return null
  }
}

interface Entry {
  readonly page: URL
  readonly modified: string
}

function entriesOf(root: XmlElement, site: URL): readonly Entry[] {
  return childrenOf(root).flatMap((each) => {
    const page = locationOf(each, site)
    return page === null ? [] : [{ page, modified: textOf(childOf(each, 'lastmod')).trim() }]
  })
}

function locationOf(entry: XmlElement, site: URL): URL | null {
  const text = textOf(childOf(entry, 'loc')).trim()
  if (!URL.canParse(text)) return null
  const page = new URL(text)
  page.hash = ''
  return page.origin === site.origin ? page : null
}

/** Without a date the page is fetched at each run; the same bytes change nothing. */
function pageOf(url: URL, modified: string): ListedFile {
  const version = modified === '' ? `looked:${crypto.randomUUID()}` : modified.slice(0, 500)
  return { id: url.href, name: url.href, version, bytes: null, url }
}
