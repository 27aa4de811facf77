/** From the text of a regular expression to its tree. Anchors at the two ends say nothing and are dropped. */
import { inverse, lastCodePoint, normal, RegexProblem, type Range, type Regex } from './syntax.ts'

const charactersMax = 2000
const depthMax = 50

const digit: readonly Range[] = [[0x30, 0x39]]
const word: readonly Range[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]
const space: readonly Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
]
const classes: Readonly<Record<string, readonly Range[]>> = {
  d: digit,
  D: inverse(digit),
  w: word,
  W: inverse(word),
  s: space,
  S: inverse(space),
}
const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, 0: 0 }
const lineBreaks: readonly Range[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
]

/** Throws a RegexProblem for what is not an expression, for what automata cannot do, and for what is too large. */
export function parseRegex(text: string): Regex {
  if (text.length > charactersMax) throw new RegexProblem(`it is longer than ${charactersMax} characters`)
  return new Parser(Array.from(text)).whole()
}

class Parser {
  readonly #characters: readonly string[]
  #at = 0
  #depth = 0

  constructor(characters: readonly string[]) {
    this.#characters = characters
  }

  whole(): Regex {
    const tree = this.#choice()
    if (this.#at < this.#characters.length) throw new RegexProblem('it has a ")" without its "("')
    return tree
  }

  #peek(offset = 0): string | undefined {
    return this.#characters[this.#at + offset]
  }

  #take(): string {
    const character = this.#characters[this.#at]
    if (character === undefined) throw new RegexProblem('it ends in the middle')
    this.#at += 1
    return character
  }

  #takeIf(character: string): boolean {
    if (this.#peek() !== character) return false
    this.#at += 1
    return true
  }

  #choice(): Regex {
    this.#depth += 1
    if (this.#depth > depthMax) throw new RegexProblem(`its groups are nested deeper than ${depthMax}`)
    const options = [this.#sequence()]
    while (this.#takeIf('|')) options.push(this.#sequence())
    this.#depth -= 1
    const [only] = options
    return options.length === 1 && only !== undefined ? only : { kind: 'choice', options }
  }

  #sequence(): Regex {
    const items: Regex[] = []
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek()) {
      if (this.#anchor(next, items.length === 0)) continue
      items.push(this.#repeated(this.#atom()))
    }
    const [only] = items
    return items.length === 1 && only !== undefined ? only : { kind: 'sequence', items }
  }

  /** The whole output is matched in any case, so `^` at the beginning and `$` at the end add no condition. */
  #anchor(character: string, isFirst: boolean): boolean {
    if (character !== '^' && character !== '$') return false
    const isAtEdge = this.#depth === 1 && (character === '^' ? isFirst : [undefined, '|'].includes(this.#peek(1)))
    if (!isAtEdge) throw new RegexProblem(`it has a "${character}" in the middle`)
    this.#at += 1
    return true
  }

  #repeated(item: Regex): Regex {
    const bounds = this.#quantifier()
    if (bounds === null) return item
    // Lazy or not makes no difference to what matches as a whole.
    this.#takeIf('?')
    if (this.#peek() === '+') throw new RegexProblem('it has a possessive quantifier')
    if (['*', '{'].includes(this.#peek() ?? '') && this.#quantifier() !== null)
      throw new RegexProblem('it has two quantifiers in a row')
    return { kind: 'repeat', item, ...bounds }
  }

  #quantifier(): { readonly min: number; readonly max: number } | null {
    if (this.#takeIf('*')) return { min: 0, max: Infinity }
    if (this.#takeIf('+')) return { min: 1, max: Infinity }
    if (this.#takeIf('?')) return { min: 0, max: 1 }
    const written = /^\{(\d{1,6})(,(\d{0,6}))?\}/.exec(this.#characters.slice(this.#at, this.#at + 20).join(''))
    if (this.#peek() !== '{') return null
    if (written === null) throw new RegexProblem('it has a "{" that begins no quantifier; write "\\{"')
    this.#at += written[0].length
    const min = Number(written[1])
    const max = written[2] === undefined ? min : written[3] === '' ? Infinity : Number(written[3])
    if (max < min) throw new RegexProblem('it has a quantifier whose bounds are the wrong way round')
    return { min, max }
  }

  #atom(): Regex {
    const character = this.#take()
    if (character === '(') return this.#group()
    if (character === '[') return { kind: 'set', ranges: this.#set() }
    if (character === '.') return { kind: 'set', ranges: inverse(lineBreaks) }
    if (character === '\\') return { kind: 'set', ranges: this.#escape(false) }
    if ('*+?{'.includes(character)) throw new RegexProblem(`it has a "${character}" with nothing to repeat`)
    return single(character)
  }

  #group(): Regex {
    if (this.#takeIf('?') && !this.#takeIf(':')) this.#groupKind()
    const inner = this.#choice()
    if (!this.#takeIf(')')) throw new RegexProblem('it has a "(" without its ")"')
    return inner
  }

  /** A name is fine, for nothing refers to it. */
  #groupKind(): void {
    const rest = this.#characters.slice(this.#at, this.#at + 60).join('')
    const name = /^P?<[A-Za-z_]\w{0,50}>/.exec(rest)
    if (name === null) throw new RegexProblem('it has look-around, a flag or another special group')
    this.#at += name[0].length
  }

  /** The characters between brackets. */
  #set(): readonly Range[] {
    const isInverse = this.#takeIf('^')
    const ranges: Range[] = []
    while (!this.#takeIf(']')) {
      const from = this.#member()
      if (this.#peek() !== '-' || this.#peek(1) === ']') {
        ranges.push(...from)
        continue
      }
      this.#take()
      const [first, last] = [bound(from), bound(this.#member())]
      if (last < first) throw new RegexProblem('it has a range whose ends are the wrong way round')
      ranges.push([first, last])
    }
    const set = isInverse ? inverse(ranges) : normal(ranges)
    if (set.length === 0) throw new RegexProblem('it has an empty set of characters')
    return set
  }

  #member(): readonly Range[] {
    const character = this.#take()
    return character === '\\' ? this.#escape(true) : pointOf(character)
  }

  #escape(inSet: boolean): readonly Range[] {
    const character = this.#take()
    const set = classes[character]
    if (set !== undefined) return set
    const control = controls[character]
    if (control !== undefined) return [[control, control]]
    if (character === 'x') return this.#code(2)
    if (character === 'u') return this.#code(4)
    if (inSet && character === 'b') return [[8, 8]]
    if (/[1-9k]/.test(character)) throw new RegexProblem('it has a back-reference')
    if (/[A-Za-z]/.test(character)) throw new RegexProblem(`it has "\\${character}", which is not known here`)
    return pointOf(character)
  }

  #code(length: number): readonly Range[] {
    const written = this.#characters.slice(this.#at, this.#at + length).join('')
    if (!new RegExp(`^[0-9a-fA-F]{${length}}$`).test(written)) throw new RegexProblem('it has an incomplete escape')
    this.#at += length
    const point = Number.parseInt(written, 16)
    return [[point, point]]
  }
}

function single(character: string): Regex {
  return { kind: 'set', ranges: pointOf(character) }
}

function pointOf(character: string): readonly Range[] {
  const point = character.codePointAt(0) ?? lastCodePoint
  return [[point, point]]
}

function bound(ranges: readonly Range[]): number {
  const [range] = ranges
  if (range === undefined || ranges.length > 1 || range[0] !== range[1])
    throw new RegexProblem('it has a range that begins or ends with a class')
  return range[0]
}
