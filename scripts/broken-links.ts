/**
 * Finds links in Markdown pages that lead nowhere: a relative path without a file, an anchor without
 * a heading. Addresses on the web are not checked.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

const fence = /^( *)(```|~~~)[\s\S]*?^\1\2\s*$/gm
const codeSpan = /`[^`\n]*`/g
const linkPattern = /\]\(([^()\s]+)(?:\s+"[^"]*")?\)|<(?:img|a)\s[^>]*?(?:src|href)="([^"]+)"/g
const headingPattern = /^#{1,6}\s+(.+?)\s*$/gm

/** One sentence for each broken link of the pages; `files` are relative to `root`. */
export async function brokenLinks(root: string, files: readonly string[]): Promise<readonly string[]> {
  const problems = await Promise.all(files.map((file) => problemsOf(root, file)))
  return problems.flat()
}

async function problemsOf(root: string, file: string): Promise<readonly string[]> {
  const text = (await proseOf(join(root, file))).replaceAll(codeSpan, withoutBrackets)
  const targets = [...text.matchAll(linkPattern)].map((match) => match[1] ?? match[2] ?? '')
  const local = targets.filter((target) => !/^[a-z]+:/i.test(target))
  const broken = await Promise.all(
    local.map(async (target) => ((await leadsSomewhere(root, file, target)) ? [] : [target])),
  )
  return broken.flat().map((target) => `${file}: the link to ${target} leads nowhere.`)
}

async function leadsSomewhere(root: string, file: string, target: string): Promise<boolean> {
  const [path = '', anchor] = target.split('#')
  const page = path === '' ? join(root, file) : join(root, dirname(file), decodeURI(path))
  if (!existsSync(page)) return false
  return anchor === undefined || !page.endsWith('.md') || anchorsOf(await proseOf(page)).has(anchor)
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const match of text.matchAll(headingPattern)) {
    const words = (match[1] ?? '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const slug = words.replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '').replaceAll(' ', '-')
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

/** Code can be the text of a link, but holds no link itself. */
function withoutBrackets(span: string): string {
  return span.replaceAll(/[[\]()<>]/g, '')
}

/** The text of a page without its fenced code. */
async function proseOf(page: string): Promise<string> {
  return (await Bun.file(page).text()).replaceAll(fence, '')
}
