/** Rules of a robots.txt (RFC 9309): the groups of our name, else those of `*`; the longest rule that fits decides. */

/** Linear in the rules and the path: patterns are matched piece by piece. */
export function robotsAllow(text: string, agent: string, path: string): boolean {
  const groups = groupsOf(text)
  const own = groups.filter(({ agents }) => agents.includes(agent))
  const rules = (own.length > 0 ? own : groups.filter(({ agents }) => agents.includes('*'))).flatMap(
    (each) => each.rules,
  )
  const fitting = rules.filter(({ pattern }) => pattern !== '' && fits(pattern, path))
  const longest = Math.max(0, ...fitting.map(({ pattern }) => pattern.length))
  const deciding = fitting.filter(({ pattern }) => pattern.length === longest)
  return deciding.length === 0 || deciding.some(({ allows }) => allows)
}

interface Group {
  readonly agents: string[]
  readonly rules: { readonly pattern: string; readonly allows: boolean }[]
}

const rulesMax = 2000

function groupsOf(text: string): readonly Group[] {
  const groups: Group[] = []
  let isNaming = false
  let rules = 0
  for (const line of text.split(/\r\n?|\n/)) {
    const [, field = '', value = ''] = /^\s*([a-z-]+)\s*:\s*([^#]*?)\s*(?:#.*)?$/i.exec(line) ?? []
    const name = field.toLowerCase()
    if (name === 'user-agent') {
      if (!isNaming) groups.push({ agents: [], rules: [] })
      groups.at(-1)?.agents.push(value.toLowerCase())
      isNaming = true
    } else if (name === 'allow' || name === 'disallow') {
      isNaming = false
      rules += 1
      if (rules <= rulesMax) groups.at(-1)?.rules.push({ pattern: value, allows: name === 'allow' })
    }
  }
  return groups
}

/** `*` stands for any characters, a `$` at the end for the end. */
function fits(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$')
  const pieces = (anchored ? pattern.slice(0, -1) : pattern).split('*')
  const [first = '', ...others] = pieces
  if (!path.startsWith(first)) return false
  let at = first.length
  for (const [index, piece] of others.entries()) {
    if (anchored && index === others.length - 1) return path.length - piece.length >= at && path.endsWith(piece)
    const found = path.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return !anchored || at === path.length
}
