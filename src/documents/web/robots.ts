/** Rules of a robots.txt (RFC 9309): the groups of our name, else those of `*`; the longest rule that fits decides. */

/** Whether a path with its query may be asked for. Costs at most some microseconds for each rule, whatever is in it. */
export type RobotsRules = (path: string) => boolean

/** More rules, longer ones, and longer paths than these are written by nobody who means them. */
const bounds = { rules: 500, patternCharacters: 500, stars: 5, pathCharacters: 2000, lineCharacters: 2000 } as const

interface Rule {
  readonly pattern: string
  readonly allows: boolean
}

interface Group {
  readonly agents: string[]
  readonly rules: Rule[]
}

/** The rules for this agent. Reads the text once, in time that is linear in it. */
export function robotsRules(text: string, agent: string): RobotsRules {
  const groups = groupsOf(text)
  const own = groups.filter(({ agents }) => agents.includes(agent))
  const rules = (own.length > 0 ? own : groups.filter(({ agents }) => agents.includes('*')))
    .flatMap((each) => each.rules)
    .slice(0, bounds.rules)
    // Where two are equally long, the one that allows decides.
    .toSorted((a, b) => b.pattern.length - a.pattern.length || Number(b.allows) - Number(a.allows))
    .map((rule) => ({ ...rule, fits: matcherOf(rule.pattern) }))
  return (path) => {
    const clipped = path.slice(0, bounds.pathCharacters)
    return rules.find(({ fits }) => fits(clipped))?.allows ?? true
  }
}

function groupsOf(text: string): readonly Group[] {
  const groups: Group[] = []
  let isNaming = false
  for (const line of text.split(/\r\n?|\n/)) {
    const [name, value] = fieldOf(line)
    if (name === 'user-agent') {
      if (!isNaming) groups.push({ agents: [], rules: [] })
      groups.at(-1)?.agents.push(value.toLowerCase())
      isNaming = true
    } else if (name === 'allow' || name === 'disallow') {
      isNaming = false
      if (isUsable(value)) groups.at(-1)?.rules.push({ pattern: value, allows: name === 'allow' })
    }
  }
  return groups
}

/** Name and value of a line, without its comment. */
function fieldOf(line: string): readonly [name: string, value: string] {
  const [said = ''] = line.slice(0, bounds.lineCharacters).split('#', 1)
  const colon = said.indexOf(':')
  return colon < 0 ? ['', ''] : [said.slice(0, colon).trim().toLowerCase(), said.slice(colon + 1).trim()]
}

function isUsable(pattern: string): boolean {
  return pattern !== '' && pattern.length <= bounds.patternCharacters && pattern.split('*').length <= bounds.stars + 1
}

/** `*` stands for any characters, a `$` at the end for the end. */
function matcherOf(pattern: string): RobotsRules {
  const anchored = pattern.endsWith('$')
  const [first = '', ...others] = (anchored ? pattern.slice(0, -1) : pattern).split('*')
  return (path) => {
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
}
