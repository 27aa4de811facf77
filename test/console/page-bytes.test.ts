/** How much JavaScript a page needs before it shows anything, over the connection: what it imports, gzipped as the server sends it. */
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole, journeysSkipped } from '#test/support/app/console-app.ts'

/** With the frame around the page; dialogs, menus and tabs that are opened load later. */
const bytesMax = 150 * 1024

const importPattern = /(?:^|[;}\s])(?:import|export)(?:[^'"()]*?from)?\s*["'`]\.\/([^"'`]+\.js)["'`]/g

test.skipIf(journeysSkipped !== null)(
  'every page loads with at most 150 KB of JavaScript',
  async () => {
    const assets = join(await buildConsole(), 'assets')
    const files = readdirSync(assets).filter((name) => name.endsWith('.js'))
    const imports = new Map(
      files.map((name) => {
        const text = readFileSync(join(assets, name), 'utf8')
        return [name, [...text.matchAll(importPattern)].map(([, imported = '']) => imported)] as const
      }),
    )
    const withImports = (name: string, all: Set<string>): Set<string> => {
      if (all.has(name)) return all
      all.add(name)
      for (const imported of imports.get(name) ?? []) withImports(imported, all)
      return all
    }
    const page = readFileSync(join(assets, '..', 'index.html'), 'utf8')
    const start = [...page.matchAll(/assets\/([^"]+\.js)/g)].map(([, name = '']) => name)
    const frame = files.filter((name) => name.startsWith('app-shell-'))
    const pages = files.filter((name) => /^(?:sign-in|invitation|[a-z-]+-page)-.{8}\.js$/.test(name))
    expect([start.length > 0, frame.length, pages.length > 20]).toEqual([true, 1, true])
    const tooLarge = pages.flatMap((name) => {
      const needed = new Set<string>()
      for (const each of [...start, ...frame, name]) withImports(each, needed)
      const bytes = [...needed].reduce((sum, each) => sum + bytesOf(join(assets, each)), 0)
      const kind = name.slice(0, -'-12345678.js'.length)
      return bytes > bytesMax ? [`${kind}: ${bytes}`] : []
    })
    expect(tooLarge).toEqual([])
  },
  120_000,
)

/** Small files have no compressed form. */
function bytesOf(path: string): number {
  try {
    return statSync(`${path}.gz`).size
  } catch {
    return statSync(path).size
  }
}
