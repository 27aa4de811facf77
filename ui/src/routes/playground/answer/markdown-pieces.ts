/** Parses the inline elements of Markdown: text, code, emphasis, links, and numbers of sources. */

export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'link'; readonly address: string; readonly pieces: readonly Piece[] }
  | { readonly kind: 'source'; readonly index: number }

const patterns = [
  /(?<!`)(?<ticks>`+)(?!`)(?<code>.+?)(?<!`)\k<ticks>(?!`)/s,
  /\*\*(?=\S)(?<strong>.+?)(?<=\S)\*\*(?!\*)/s,
  /(?<![\p{L}\p{N}*])\*(?=[^\s*])(?<emphasis>[^*]+)(?<=\S)\*/u,
  /(?<![\p{L}\p{N}_])_(?=[^\s_])(?<underlined>[^_]+)(?<=\S)_(?![\p{L}\p{N}])/u,
  /!?\[(?<label>[^\][]*)\]\((?<address>[^\s()]+(?:\([^\s()]*\)[^\s()]*)*)(?:\s+"[^"]*")?\)/,
  /(?<bare>https?:\/\/[^\s<>()\]"'`]+[^\s<>()\]"'`.,;:!?])/,
  /\[(?<source>\d{1,3}(?:\s*,\s*\d{1,3})*)\]/,
] as const
const any = new RegExp(patterns.map(({ source }) => source).join('|'), 'gsu')

/** Longer text is shown unformatted: matching pairs in it could take long. */
const charactersMax = 20_000
const depthMax = 6

/** @param sources the number of sources; a higher number in brackets stays text */
export function markdownPieces(text: string, sources = 0): readonly Piece[] {
  return text.length > charactersMax ? [{ kind: 'text', text }] : piecesOf(text, sources, 0)
}

function piecesOf(text: string, sources: number, depth: number): readonly Piece[] {
  if (depth >= depthMax) return [{ kind: 'text', text }]
  const pieces: Piece[] = []
  let end = 0
  for (const match of text.matchAll(any)) {
    if (match.index > end) pieces.push({ kind: 'text', text: text.slice(end, match.index) })
    pieces.push(...piecesOfMatch(match[0], match.groups ?? {}, sources, depth))
    end = match.index + match[0].length
  }
  if (end < text.length) pieces.push({ kind: 'text', text: text.slice(end) })
  return pieces
}

function piecesOfMatch(
  whole: string,
  groups: Readonly<Record<string, string | undefined>>,
  sources: number,
  depth: number,
): readonly Piece[] {
  const { code, strong, emphasis = groups['underlined'], label, address, bare, source } = groups
  const inside = (text: string): readonly Piece[] => piecesOf(text, sources, depth + 1)
  if (code !== undefined) return [{ kind: 'code', text: /^ .*\S.* $/s.test(code) ? code.slice(1, -1) : code }]
  if (strong !== undefined) return [{ kind: 'strong', pieces: inside(strong) }]
  if (emphasis !== undefined) return [{ kind: 'emphasis', pieces: inside(emphasis) }]
  if (bare !== undefined) return [{ kind: 'link', address: bare, pieces: [{ kind: 'text', text: bare }] }]
  if (source !== undefined) {
    const numbers = source.split(',').map(Number)
    const areSources = numbers.every((index) => index >= 1 && index <= sources)
    return areSources ? numbers.map((index) => ({ kind: 'source', index })) : [{ kind: 'text', text: whole }]
  }
  // Other schemes could run scripts or open programs.
  if (address === undefined || !/^(https?:\/\/|mailto:)/i.test(address)) return [{ kind: 'text', text: whole }]
  return [{ kind: 'link', address, pieces: inside(label === undefined || label === '' ? address : label) }]
}
