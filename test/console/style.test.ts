/** What holds for the whole console: two styles of links, and the words of the API. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '../../ui/src')

function filesOf(pattern: string): readonly { readonly path: string; readonly text: string }[] {
  return [...new Bun.Glob(pattern).scanSync(root)].map((path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
  }))
}

/** Links in a text (base.css, the answers of models) and names that lead on (layout.module.css); the rest are not links to look at. */
const decorating: ReadonlySet<string> = new Set([
  'styles/layout.module.css',
  'styles/print.css',
  'routes/playground/answer/markdown.module.css',
  // What looks like a button or is part of the frame.
  'components/button.module.css',
  'components/tile.module.css',
  'shell/navigation.module.css',
  'shell/app-shell.module.css',
])

test('a link looks like one of two: as in a text, or as a name that leads on', () => {
  const styles = filesOf('**/*.css')
  expect(styles.length).toBeGreaterThan(50)
  const own = styles.filter(({ text }) => /text-decoration|^a[:. ]/m.test(text)).map(({ path }) => path)
  expect(own.filter((path) => !decorating.has(path) && path !== 'styles/base.css')).toEqual([])
})

/** Words for what the API and the documentation call otherwise, each with the word that they use. */
const otherWords: Readonly<Record<string, RegExp>> = {
  'sign in': /\blog(?:s|ged|ging)? ?(?:in|on)\b|\blog ?out\b|\blogin\b/i,
  'API key': /\b(?:API|access|secret) tokens?\b/i,
  'budget or limit': /\bquotas?\b|\bthrottl/i,
  model: /\bdeployments?\b|\bengines?\b/i,
  provider: /\bback-?ends?\b/i,
  document: /\bknowledge bases?\b|\bdata ?sources?\b/i,
  composite: /\b(?:load balancer|virtual model)s?\b/i,
  ejected: /\b(?:circuit|tripped|blacklisted|banned)\b/i,
  'e-mail': /\bemail address/i,
  user: /\b(?:tenant|workspace|organi[sz]ation|team)s?\b/i,
}

/** Texts for people: what stands between tags, and literals with a blank in them. */
function textsOf(source: string): readonly string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').replaceAll(/^import .*$/gm, '')
  const literals = [...code.matchAll(/'([^'\n]* [^'\n]*)'|"([^"\n]* [^"\n]*)"|`([^`]* [^`]*)`/g)]
  const between = [...code.matchAll(/>\s*([A-Z“][^<>{}]{3,})\s*[<{]/g)]
  return [...literals, ...between].map(([, ...groups]) => groups.find((each) => each !== undefined) ?? '')
}

test('the console calls things as the API does', () => {
  const found: string[] = []
  const sources = filesOf('**/*.{ts,tsx}').filter(({ path }) => !path.endsWith('schema.d.ts'))
  expect(sources.length).toBeGreaterThan(200)
  for (const { path, text } of sources) {
    const shown = textsOf(text)
    for (const [word, other] of Object.entries(otherWords))
      found.push(...shown.filter((each) => other.test(each)).map((each) => `${path}: “${each.trim()}” for ${word}`))
  }
  expect(found).toEqual([])
})
