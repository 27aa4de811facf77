/**
 * Pages that a sitemap names (https://www.sitemaps.org/protocol.html), or a single page: what is not a sitemap is the page itself.
 * Only pages of the sitemap's own site, and none that its robots.txt forbids to us.
 */
import { childOf, eachElementInTurns, textOf, type XmlElement } from '#readers/xml.ts'
import { filesMax, type ListedFile, type SourceListing } from './listing.ts'
import { robotsOf } from '../web/robots-of.ts'
import type { SourceClient } from '../web/source-client.ts'
import { SourceFailure } from '../web/source-failure.ts'

/** A large site has several sitemaps. */
const sitemapBytesMax = 10 * 1024 * 1024
const sitemapsMax = 500

export function sitemapListing(url: URL, client: SourceClient): SourceListing {
  return {
    versionIsContent: false,
    requestFor: ({ url: page }) => ({
      url: page,
      headers: { accept: 'text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.5' },
    }),
    async *list(signal) {
      const rules = await robotsOf(client, url, signal)
      const allows = (page: URL): boolean => rules(page.pathname + page.search)
      const seen = new Set<string>()
      const sitemaps = [url]
      for (let next = sitemaps.pop(); next !== undefined; next = sitemaps.pop()) {
        if (seen.has(next.href) || !allows(next)) continue
        seen.add(next.href)
        if (seen.size > filesMax + sitemapsMax || sitemaps.length > filesMax)
          throw new SourceFailure('The sitemaps name too many others.')
        const named = await entriesOf(await client.text({ url: next, signal }, sitemapBytesMax), {
          site: url,
          allows,
          seen,
        })
        if (named === null && next === url) yield pageOf(url, '')
        for (const { page, modified, isSitemap } of named ?? []) {
          if (isSitemap) sitemaps.push(page)
          else yield pageOf(page, modified)
        }
      }
    },
  }
}

interface Entry {
  readonly page: URL
  readonly modified: string
  readonly isSitemap: boolean
}

interface Named {
  readonly site: URL
  readonly allows: (page: URL) => boolean
  /** Addresses that were named before; those of pages are added. */
  readonly seen: Set<string>
}

const sitemapStart = /^\s*(?:<[?!][^>]*>\s*)*<(?:[\w-]+:)?(?:urlset|sitemapindex)[\s>/]/
const entryNames = new Set(['url', 'sitemap'])

/** What a sitemap names for the first time; null for what is not a sitemap. */
async function entriesOf(given: string, { site, allows, seen }: Named): Promise<readonly Entry[] | null> {
  const text = given.replace(/^\uFEFF/, '')
  if (!sitemapStart.test(text.slice(0, 4096))) return null
  const entries: Entry[] = []
  let sitemaps = 0
  const note = (element: XmlElement): void => {
    const page = locationOf(element, site)
    const isSitemap = element.name === 'sitemap'
    if (page === null || seen.has(page.href) || !allows(page)) return
    if (isSitemap && (sitemaps += 1) > sitemapsMax) return
    if (!isSitemap) seen.add(page.href)
    entries.push({ page, modified: textOf(childOf(element, 'lastmod')).trim(), isSitemap })
  }
  return eachElementInTurns(text, entryNames, note).then(
    () => entries,
    () => null,
  )
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
