import { expect, test } from 'bun:test'
import { lettersOfGlyphs, mayHideLetters } from './glyph-letters.ts'

const glyphOf = new Map([...lettersOfGlyphs].map(([glyph, letter]) => [String.fromCodePoint(letter), glyph]))
function glyphsOf(text: string): number[] {
  return Array.from(text, (letter) => glyphOf.get(letter) ?? 0)
}
const sentence = 'Die Gemeinde empfiehlt, frühzeitig Maßnahmen zu ergreifen.'

test('glyphs in the usual order are the letters that they show', () => {
  expect(lettersOfGlyphs.get(3)).toBe(0x20)
  expect(lettersOfGlyphs.get(36)).toBe('A'.codePointAt(0))
  expect(lettersOfGlyphs.get(124)).toBe('ö'.codePointAt(0))
  expect(lettersOfGlyphs.get(177)).toBe('–'.codePointAt(0))
  expect(lettersOfGlyphs.get(196)).toBe('„'.codePointAt(0))
})

test('the glyphs of a sentence are seen to be letters', () => {
  expect(mayHideLetters(glyphsOf(sentence))).toBe(true)
})

test('text that is in letters already, figures and signs are not', () => {
  expect(mayHideLetters(Array.from(sentence, (letter) => letter.codePointAt(0) ?? 0))).toBe(false)
  expect(mayHideLetters(glyphsOf('1234567 890 123 456 789 000 12'))).toBe(false)
  expect(mayHideLetters(glyphsOf('too few'))).toBe(false)
})
