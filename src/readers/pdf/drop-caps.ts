/**
 * Drop caps: a letter over several lines that begins the first word of a text, which a file has as a text of its own.
 */
import type { Fragment } from './fragments.ts'

/** The letter, with an opening quote at most. */
const initial = /^["'“‘„«»(]?\p{Lu}$/u
/** How much larger it is than the letters of its word. */
const leastRatio = 1.7
/** Letters that are words in some language, so that a space after them may be one. */
const words = new Set('AIOYEUWZÀÉÈÓÁÍÚАВИКОСУЯ')

/** The fragments with each drop cap joined to the word that it begins. */
export function withDropCaps(fragments: readonly Fragment[]): readonly Fragment[] {
  const capitals = fragments.filter((each) => initial.test(each.text))
  if (capitals.length === 0 || capitals.length > capitalsMax) return fragments
  const joined = new Map<Fragment, Fragment | null>()
  for (const capital of capitals) {
    const rest = restOf(capital, fragments)
    if (rest === null || joined.has(rest)) continue
    joined.set(capital, null)
    joined.set(rest, {
      ...rest,
      text: `${capital.text}${isWord(capital, rest, fragments) ? ' ' : ''}${rest.text}`,
      left: capital.left,
      spaced: capital.spaced,
    })
  }
  if (joined.size === 0) return fragments
  return fragments.flatMap((each) => {
    const now = joined.get(each)
    return now === undefined ? [each] : now === null ? [] : [now]
  })
}

/** More single letters on a page are something else, and each is compared with all fragments. */
const capitalsMax = 50

/** What is beside the letter, at its head or on its foot; null when that is not the text that it begins. */
function restOf(capital: Fragment, fragments: readonly Fragment[]): Fragment | null {
  const height = capital.top - capital.bottom
  const beside = fragments.filter(
    ({ size, turn, left, top, bottom }) =>
      capital.size > leastRatio * size &&
      turn === capital.turn &&
      left > capital.right - 0.35 * height &&
      left < capital.right + 0.35 * height &&
      (top + bottom) / 2 < capital.top &&
      (top + bottom) / 2 > capital.bottom,
  )
  const [first] = beside.toSorted((one, other) => other.top - one.top)
  if (first === undefined || !/^[\p{L}'’]/u.test(first.text)) return null
  // Either more lines flow around it, or its foot is on the line that it begins.
  const isRaised = Math.abs(first.bottom - capital.bottom) < 0.3 * height && first.left < capital.right + 0.1 * height
  return beside.length > 1 || isRaised ? first : null
}

/** Whether the letter is a word of its own: decided by the other words of the page. */
function isWord(capital: Fragment, rest: Fragment, fragments: readonly Fragment[]): boolean {
  const letter = capital.text.at(-1) ?? ''
  const [after = ''] = /^[\p{L}\p{N}'’]+/u.exec(rest.text) ?? []
  if (!rest.spaced || !words.has(letter) || after === '') return false
  const others = fragments.filter((each) => each !== rest && each !== capital)
  const has = (word: string): boolean => {
    const found = new RegExp(`(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`, 'iu')
    return others.some(({ text }) => found.test(text)) || found.test(rest.text.slice(after.length))
  }
  return !has(`${letter}${after}`) && has(after)
}
