/** Cuts secrets, e-mail addresses, card numbers and what an administrator names out of text, before it is written. */
import { PatternSearch, type Stretch } from '#lib/regex/pattern-search.ts'
import { redact } from '#observe/redact.ts'

/** What is cut out: the settings `content_log.redact` and `content_log.redact_patterns`. */
export interface RedactionRules {
  readonly kinds: readonly string[]
  readonly patterns: readonly string[]
}

type Cut = (text: string) => string

// Each part is bounded, so that a long run of letters costs no more than its length.
const email = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g
const cardDigits = /(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)/g

const kinds: Readonly<Record<string, Cut>> = {
  secrets: (text) => redact(text),
  email: (text) => (text.includes('@') ? text.replace(email, '[email]') : text),
  cards: (text) => text.replace(cardDigits, (found) => (passesLuhn(found) ? '[card]' : found)),
}

/** What cuts by these rules. Patterns that are not expressions are left out: the setting refuses them. */
export function redaction({ kinds: names, patterns }: RedactionRules): Cut {
  const searches = patterns.flatMap((pattern) => searchOf(pattern) ?? [])
  const cuts = [
    ...names.flatMap((name) => kinds[name] ?? []),
    ...searches.map(
      (search): Cut =>
        (text) =>
          without(text, search.find(text)),
    ),
  ]
  return (text) => cuts.reduce((left, cut) => cut(left), text)
}

function searchOf(pattern: string): PatternSearch | null {
  try {
    return new PatternSearch(pattern)
  } catch {
    return null
  }
}

function without(text: string, stretches: readonly Stretch[]): string {
  if (stretches.length === 0) return text
  const parts: string[] = []
  let from = 0
  for (const { start, end } of stretches) {
    parts.push(text.slice(from, start), '[redacted]')
    from = end
  }
  return parts.join('') + text.slice(from)
}

/** Source: ISO/IEC 7812-1, annex B. */
function passesLuhn(written: string): boolean {
  const digits = written.replaceAll(/\D/g, '')
  let sum = 0
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at])
    const doubled = at % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
