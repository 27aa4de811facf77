/**
 * Where sentences begin, by rule: no model, no dictionary but a list of abbreviations, one pass. A
 * sentence that is not recognised costs a worse cut, never a lost character, so the rules stay few.
 *
 * Intl.Segmenter was not taken: it is no faster, ends a sentence after "Mr.", and none before a lower-case letter.
 */

/** Words that a full stop follows within a sentence. Lower case, without the last stop. */
const abbreviations = new Set(
  (
    'mr mrs ms dr prof sr jr st vs etc eg ie al fig figs eq eqs no nos vol vols pp ed eds cf ca approx dept est ' +
    'inc ltd corp co gen col lt sgt capt rev hon gov sen rep jan feb mar apr jun jul aug sep sept oct nov dec ' +
    'bzw evtl ggf inkl nr usw vgl zb art abs bd hrsg mme mlle av env ex sra srta ud uds ej pag'
  ).split(' '),
)

/** Marks that may end a sentence and what closes with them. Matches without going back, so in linear time. */
const endMark = /[.!?…]+["'”’»)\]]*|[。！？｡]+["'”’」』）】]*/g
const wordMax = 16
const stop = 46

/** Offsets of the sentences within the range but the first, each behind the white space before it. Ascending. */
export function sentenceStarts(text: string, from: number, to: number): readonly number[] {
  const starts: number[] = []
  // Matched in the slice alone: otherwise the search for the next mark would scan the rest of the text from every line.
  for (const match of text.slice(from, to).matchAll(endMark)) {
    const markStart = from + match.index
    const end = markStart + match[0].length
    const next = skipSpace(text, end, to)
    if (next >= to) break
    const isWide = match[0].charCodeAt(0) > 0x3000
    if (next === end && !isWide) continue
    if (match[0].charCodeAt(0) === stop && goesOn(text, markStart, next)) continue
    starts.push(next)
  }
  return starts
}

/** Whether the full stop belongs to a word, so that the sentence goes on behind it. */
function goesOn(text: string, end: number, next: number): boolean {
  const isLowerNext = isLowerCase(text.charCodeAt(next))
  if (text.charCodeAt(end + 1) === stop) return isLowerNext
  const word = wordBefore(text, end)
  if (word === '') return false
  if (word.includes('.') || /^\p{L}$/u.test(word)) return true
  if (abbreviations.has(word.toLowerCase())) return true
  // "2. Install": the number of a list's item. A year or an amount is longer.
  if (/^\d{1,2}$/.test(word)) return isLineStart(text, end - word.length)
  return word.length < 3 && isLowerNext
}

/** Letters, digits and inner stops before the offset; cut at a length that no abbreviation has. */
function wordBefore(text: string, end: number): string {
  let start = end
  while (start > 0 && end - start < wordMax && /[\p{L}\p{N}.]/u.test(text.charAt(start - 1))) start -= 1
  return text.slice(start, end)
}

function isLineStart(text: string, offset: number): boolean {
  let index = offset - 1
  while (index >= 0 && text.charCodeAt(index) === 32) index -= 1
  return index < 0 || text.charCodeAt(index) === 10
}

function isLowerCase(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 0xdf && code <= 0xff)
}

function skipSpace(text: string, from: number, to: number): number {
  let index = from
  while (index < to && /\s/.test(text.charAt(index))) index += 1
  return index
}
