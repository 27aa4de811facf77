/**
 * What makes a password too easy to guess, beyond its length: it is among those that are tried first. The rules follow
 * NIST SP 800-63B-4 section 3.1.1.2, which asks for a length and a list, and forbids rules about kinds of characters.
 */

/** Words that most of the passwords in lists of leaked ones are made of; short, since the rest is what people put around them. */
const common = new Set(
  `abcdef access admin administrator america angel asdfgh asdfghjkl baseball batman changeme charlie chocolate computer
  daniel default dragon football freedom google hannah hello hockey hunter iloveyou internet jennifer jesus jordan killer
  letmein login lovely loveyou master michael michelle monkey mustang nicole ninja pass passw passwd password passwort
  pokemon princess qazwsx qwert qwertz qwerty qwertyuiop qwertzuiop root samsung secret server shadow sluice soccer
  starwars summer sunshine superman temp test thomas trustno welcome whatever winter zxcvbn zxcvbnm`.split(/\s+/),
)

const leet: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
}
const rows = [
  'abcdefghijklmnopqrstuvwxyz',
  '0123456789'.repeat(3),
  'qwertyuiop',
  'qwertzuiop',
  'asdfghjkl',
  'zxcvbnm',
  'yxcvbnm',
]
/** A password of fewer different characters is a pattern. */
const differentMin = 5

/** Why a password is not taken, as the end of the sentence "expected …"; null for one that may be. */
export function weakness(password: string): string | null {
  const text = password.toLowerCase()
  if (new Set(text).size < differentMin || isRepeated(text)) return 'a password that does not repeat a few characters'
  if (isRun(text)) return 'a password that is more than a row of the alphabet, of digits or of the keyboard'
  return isCommon(text) ? 'a password that is more than a common word with something around it' : null
}

/** One short piece, again and again. */
function isRepeated(text: string): boolean {
  for (let length = 1; length <= text.length / 2; length += 1)
    if (
      text.startsWith(
        text
          .slice(0, length)
          .repeat(Math.ceil(text.length / length))
          .slice(0, text.length),
      )
    )
      return true
  return false
}

/** Made of pieces of rows, forwards or backwards, of which each has four characters at least. */
function isRun(text: string): boolean {
  const both = rows.flatMap((row) => [row, row.split('').toReversed().join('')])
  let at = 0
  while (at < text.length) {
    let length = Math.min(text.length - at, 26)
    while (length >= 4 && !both.some((row) => row.includes(text.slice(at, at + length)))) length -= 1
    if (length < 4) return false
    at += length
  }
  return true
}

/** Common words only, when digits and signs around and between them are left out, however they are spelled. */
function isCommon(text: string): boolean {
  const core = text.replace(/^[^\p{L}@$]+/u, '').replace(/[^\p{L}]+$/u, '')
  const spelled = (each: string): string => each.replaceAll(/[013457@$]/g, (character) => leet[character] ?? character)
  return [text, spelled(text), spelled(core)].some((each) => {
    const words = each.split(/[^\p{L}]+/u).filter((word) => word !== '')
    return words.length > 0 && words.every((word) => isMadeOf(word))
  })
}

/** Whether a word is one or several of the common ones. */
function isMadeOf(word: string): boolean {
  const reached = new Set([0])
  for (let at = 0; at < word.length; at += 1) {
    if (!reached.has(at)) continue
    for (const each of common) if (word.startsWith(each, at)) reached.add(at + each.length)
  }
  return reached.has(word.length)
}
