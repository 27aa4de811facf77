/**
 * Which kind of text a file is. What only its author can know, such as the language of source code, comes from the
 * file's name; everything else from the beginning of the text.
 */
import { decodeText } from '../text/charset.ts'
import { likelyDelimiter } from '../text/delimiter.ts'

const sampleBytes = 65_536
/** Up to this size a whole text is parsed to find out whether it is JSON. */
const jsonBytesMax = 4_000_000

/** Names without a registered type follow the usual `text/x-…`. */
const sourceTypes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'application/sql': 'sql',
    'application/toml': 'toml',
    'application/xml': 'xml xsd xsl xslt wsdl plist',
    'application/yaml': 'yaml yml',
    'image/svg+xml': 'svg',
    'text/css': 'css scss sass less',
    'text/javascript': 'js mjs cjs jsx',
    'text/x-c': 'c h',
    'text/x-c++': 'cc cpp cxx hpp hh hxx',
    'text/x-csharp': 'cs',
    'text/x-clojure': 'clj cljs',
    'text/x-dart': 'dart',
    'text/x-diff': 'diff patch',
    'text/x-elixir': 'ex exs',
    'text/x-erlang': 'erl hrl',
    'text/x-go': 'go',
    'text/x-graphql': 'graphql gql',
    'text/x-groovy': 'groovy gradle',
    'text/x-haskell': 'hs',
    'text/x-java': 'java',
    'text/x-julia': 'jl',
    'text/x-kotlin': 'kt kts',
    'text/x-lua': 'lua',
    'text/x-ocaml': 'ml mli',
    'text/x-perl': 'pl pm',
    'text/x-php': 'php',
    'text/x-powershell': 'ps1 psm1',
    'text/x-properties': 'properties ini cfg conf env',
    'text/x-protobuf': 'proto',
    'text/x-python': 'py pyi',
    'text/x-r': 'r',
    'text/x-ruby': 'rb',
    'text/x-rust': 'rs',
    'text/x-scala': 'scala',
    'text/x-sh': 'sh bash zsh fish bat cmd',
    'text/x-swift': 'swift',
    'text/x-terraform': 'tf hcl',
    'text/x-tex': 'tex sty',
    'text/x-typescript': 'ts mts cts tsx vue svelte',
  }).flatMap(([type, extensions]) => extensions.split(' ').map((extension): [string, string] => [extension, type])),
)

const namedTypes: ReadonlyMap<string, string> = new Map([
  ['md', 'text/markdown'],
  ['markdown', 'text/markdown'],
  ['mdx', 'text/markdown'],
  ['csv', 'text/csv'],
  ['tsv', 'text/tab-separated-values'],
  ['tab', 'text/tab-separated-values'],
  ['jsonl', 'application/jsonl'],
  ['ndjson', 'application/jsonl'],
])

/** Types of source code and of texts that are best read like it. */
export const sourceMediaTypes: ReadonlySet<string> = new Set(sourceTypes.values())

function extensionOf(name: string): string {
  return /\.([a-z0-9+]{1,12})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
}

/** The media type of a text. */
export function textMediaType(bytes: Buffer, name: string): string {
  const extension = extensionOf(name)
  const start = decodeText(bytes.subarray(0, sampleBytes), { markup: true }).text.trimStart()
  if (isMail(start, extension)) return isMailBox(bytes, start) ? 'application/mbox' : 'message/rfc822'
  const exact = structuredType(start) ?? subtitlesType(start) ?? notebookType(start, extension)
  if (exact !== null) return exact
  const sourceType = sourceTypes.get(extension)
  if (sourceType !== undefined) return sourceType
  return (
    markupType(start, extension) ??
    jsonType(bytes, start, extension) ??
    namedTypes.get(extension) ??
    unnamedType(start, extension)
  )
}

/** A name that says "text" is believed; without one, what looks like a table or like Markdown is read as such. */
function unnamedType(start: string, extension: string): string {
  if (extension === 'txt' || extension === 'text' || extension === 'log') return 'text/plain'
  const delimiter = likelyDelimiter(start)
  if (delimiter !== null) return delimiter === '\t' ? 'text/tab-separated-values' : 'text/csv'
  return looksLikeMarkdown(start) ? 'text/markdown' : 'text/plain'
}

const mailFields =
  /^(?:From|To|Cc|Subject|Date|Message-ID|MIME-Version|Received|Return-Path|Delivered-To|Content-Type|Reply-To|X-Mailer):/i
const headerField = /^[!-9;-~]{1,76}:/

/** RFC 5322, 2.2: lines of fields until the first empty one. Two fields that only mails have, or one and the name. */
function isMail(start: string, extension: string): boolean {
  const lines = start.slice(0, 16_384).split(/\r?\n/)
  const first = lines[0]?.startsWith('From ') === true ? 1 : 0
  let known = 0
  for (const line of lines.slice(first)) {
    if (line === '' || known > 3) break
    if (mailFields.test(line)) known += 1
    else if (!/^[ \t]/.test(line) && !headerField.test(line)) return false
  }
  return known >= (extension === 'eml' || extension === 'mht' || extension === 'mhtml' ? 1 : 3)
}

/** Books and papers by their root and its declarations; an article without such words is any XML. */
function structuredType(start: string): string | null {
  const head = start.slice(0, 4_096)
  if (!/^<[?!a-z]/i.test(head)) return null
  const root = /<(?:[\w.-]{1,50}:)?(FictionBook|opml|article|book|chapter|section|part|set)[\s>]/.exec(head)?.[1]
  if (root === 'FictionBook') return 'application/x-fictionbook+xml'
  if (root === 'opml') return 'text/x-opml'
  if (root === undefined || /<html[\s>]|<!doctype html/i.test(head)) return null
  if (/docbook/i.test(head)) return 'application/docbook+xml'
  const isPaper = /JATS|\/\/NLM\/\/DTD|article-type=|<article-meta[\s>]|<journal-meta[\s>]/.test(head)
  return root === 'article' && isPaper ? 'application/jats+xml' : null
}

function subtitlesType(start: string): string | null {
  if (/^WEBVTT(?:[ \t\r\n]|$)/.test(start)) return 'text/vtt'
  return /^\d{1,6}[ \t]*\r?\n\d{1,2}:\d\d:\d\d[,.]\d{1,3} *-->/.test(start) ? 'application/x-subrip' : null
}

function notebookType(start: string, extension: string): string | null {
  if (!start.startsWith('{')) return null
  return extension === 'ipynb' || /"nbformat"\s*:/.test(start.slice(0, 2_000)) ? 'application/x-ipynb+json' : null
}

/** More than one mail after each other. */
function isMailBox(bytes: Buffer, start: string): boolean {
  return start.startsWith('From ') && (bytes.includes('\n\nFrom ') || bytes.includes('\r\n\r\nFrom '))
}

const htmlExtensions: ReadonlySet<string> = new Set(['html', 'htm', 'xhtml'])

/** A page says so at its beginning; a part of a page is one by its name, or when it has no name and begins with a block. */
function markupType(start: string, extension: string): string | null {
  const head = start.slice(0, 4_096).replace(/^(?:<!--[^]{0,2000}?-->\s*)+/, '')
  if (/^<\?xml/i.test(head)) return /<html[\s>]/i.test(head) ? 'application/xhtml+xml' : 'application/xml'
  if (/^<(?:!doctype\s+html|html|head|body)\b/i.test(head)) return 'text/html'
  if (htmlExtensions.has(extension)) return /<\/?[a-z][^<>]{0,500}>/i.test(start) ? 'text/html' : null
  const isPart =
    extension === '' && /^<(?:title|meta|table|div|section|article|p|h[1-6]|ul|ol)\b[^<>]{0,500}>/i.test(head)
  return isPart ? 'text/html' : null
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function jsonType(bytes: Buffer, start: string, extension: string): string | null {
  if (extension === 'jsonl' || extension === 'ndjson') return 'application/jsonl'
  if (!/^[[{]/.test(start)) return extension === 'json' && parses(start) ? 'application/json' : null
  if (extension === 'json' || extension === 'geojson') return 'application/json'
  const lines = start.slice(0, sampleBytes / 2).split('\n', 3)
  const isRecord = (line: string | undefined): boolean => line !== undefined && /^[[{]/.test(line) && parses(line)
  if (lines.length === 3 && isRecord(lines[0]) && isRecord(lines[1])) return 'application/jsonl'
  return bytes.length <= jsonBytesMax && parses(decodeText(bytes).text) ? 'application/json' : null
}

/** Fenced code, a link, an item of a list, the rule of a table. No two places can share what one of them looks through. */
const markdownSigns = [/^(?:```|~~~)/m, /\]\([^\s()]{1,300}\)/, /^[-*] \S/m, /^\|? ?:?-{3,}:? ?\|/m]

/** A heading and one more sign of it, since a line that begins with # may be anything. */
function looksLikeMarkdown(start: string): boolean {
  const headings = start.match(/^#{1,6} \S/gm)?.length ?? 0
  return headings > 1 || (headings === 1 && markdownSigns.some((sign) => sign.test(start)))
}
