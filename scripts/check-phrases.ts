/**
 * Checks that comments, messages and pages are in plain English: none of the phrases that the style
 * section of CONTRIBUTING.md bans, and no comment that begins with "Of" or "By". Without arguments it
 * checks everything; a file or folder as argument limits it to that.
 */
import { existsSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

interface Ban {
  /** As CONTRIBUTING.md writes it. */
  readonly phrase: string
  readonly pattern: RegExp
}

const root = join(import.meta.dir, '..')
const scope = [
  'src/**/*.{ts,md}',
  'ui/src/**/*.{ts,tsx}',
  'ui/*.md',
  'docs/**/*.md',
  'scripts/*',
  'bench/**/*.{ts,md}',
  'examples/*',
  '*.md',
  'sluice.example.yaml',
]
/** Generated from the API document, whose sources are checked themselves. */
const generated = new Set(['ui/src/api/schema.d.ts', 'docs/configuration.md', 'docs/errors.md'])
/** The list itself stands in this file. */
const styleGuide = 'CONTRIBUTING.md'

const styleText = await Bun.file(join(root, styleGuide)).text()
const bans = bannedPhrases(styleText)
const asked = process.argv.slice(2).map((path) => relative(root, resolve(path)))
for (const path of asked) if (!existsSync(join(root, path))) throw new Error(`${path} does not exist.`)

let hits = 0
for (const file of filesInScope().filter(isAsked)) {
  const text = await Bun.file(join(root, file)).text()
  for (const { line, phrase } of hitsIn(file === styleGuide ? withoutList(text) : text)) {
    hits += 1
    console.error(`${file}:${line}: ${phrase}`)
  }
}
if (hits > 0) {
  console.error(`\n${hits} banned phrases. ${styleGuide} says what to write instead.`)
  process.exit(1)
}

function bannedPhrases(text: string): readonly Ban[] {
  const lines = listOf(text).split('\n')
  const phrases = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('```'))
  if (phrases.length === 0) throw new Error(`${styleGuide} holds no list of banned phrases.`)
  return phrases.map((phrase) => ({ phrase, pattern: patternOf(phrase) }))
}

/** A `/regex/` as it is, a phrase as whole words; both in any case. */
function patternOf(phrase: string): RegExp {
  const source = /^\/(.+)\/$/.exec(phrase)?.[1] ?? `\\b${RegExp.escape(phrase)}\\b`
  return new RegExp(source, 'i')
}

function listOf(text: string): string {
  const between = /<!-- banned-phrases:begin -->([\s\S]*?)<!-- banned-phrases:end -->/.exec(text)
  return between?.[1] ?? ''
}

/** The text with the same line numbers, but without the examples and the list of the style section. */
function withoutList(text: string): string {
  return text.replace(/<!-- style:begin -->[\s\S]*?<!-- style:end -->/, (part) => part.replaceAll(/[^\n]/g, ''))
}

function filesInScope(): readonly string[] {
  const found = scope.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])
  return [...new Set(found)].filter((file) => !generated.has(file)).toSorted()
}

function isAsked(file: string): boolean {
  if (asked.length === 0) return true
  return asked.some((path) => {
    const isFolder = statSync(join(root, path)).isDirectory()
    return isFolder ? path === '' || file.startsWith(`${path}/`) : file === path
  })
}

function hitsIn(text: string): readonly { readonly line: number; readonly phrase: string }[] {
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    const found = bans.filter(({ pattern }) => pattern.test(line)).map(({ phrase }) => phrase)
    if (opensWithOfOrBy(lines, index)) found.push('a comment that begins with "Of" or "By"')
    return found.map((phrase) => ({ line: index + 1, phrase }))
  })
}

/** Only the first line of a comment, or of a block of `//` lines, counts: a sentence may go on with "By". */
function opensWithOfOrBy(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? ''
  const before = (lines[index - 1] ?? '').trim()
  if (/^\s*\*\s+(?:Of|By)\s/.test(line)) return before === '/**'
  const comment = /^(?<code>.*?)(?<mark>\/\*\*|\/\/)\s+(?:Of|By)\s/.exec(line)?.groups
  if (comment === undefined) return false
  return comment['mark'] === '/**' || comment['code']?.trim() !== '' || !before.startsWith('//')
}
