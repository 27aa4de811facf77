/** Rules of the setting `limits.rates` that concern one record, and how a new one is written. docs/limits.md has their form. */
import type { BudgetTarget } from './budget-draft.ts'

const subjectForm = /(key|user|group|model|provider):(?:"([^"]+)"|([^\s"]+))\s+/y
const limitForm = /^(requests|tokens)\s+(\d+)\/(\S+?)(?:\s+burst\s+(\d+))?$/

export interface Rate {
  /** The rule as it is in the setting. */
  readonly text: string
  /** “60 requests a minute, 20 at once”. */
  readonly words: string
  /** Whom else the rule names: “model gpt-4o, each key apart”. Empty for a rule of this record alone. */
  readonly also: string
}

export interface Rates {
  /** Rules that name the record. */
  readonly own: readonly Rate[]
  /** Rules for each record of its kind. */
  readonly common: readonly Rate[]
}

/** The rules about a record, by its name or its id. */
export function ratesOn(rules: readonly string[], { scope, id, name }: BudgetTarget): Rates {
  const [own, common]: [Rate[], Rate[]] = [[], []]
  for (const text of rules) {
    const { subjects, words } = readRule(text)
    const wanted = subjects.get(scope)
    if (wanted === undefined) continue
    const others = [...subjects].filter(([kind]) => kind !== scope)
    const also = others.map(([kind, each]) => (each === '*' ? `each ${kind} apart` : `${kind} ${each}`)).join(', ')
    if (wanted === '*') common.push({ text, words, also })
    else if (wanted === id || wanted === name) own.push({ text, words, also })
  }
  return { own, common }
}

function readRule(text: string): { readonly subjects: ReadonlyMap<string, string>; readonly words: string } {
  const subjects = new Map<string, string>()
  let end = 0
  subjectForm.lastIndex = 0
  for (let match = subjectForm.exec(text); match !== null; match = subjectForm.exec(text)) {
    subjects.set(match[1] ?? '', match[2] ?? match[3] ?? '')
    end = subjectForm.lastIndex
  }
  const [, unit, amount, window, burst] = limitForm.exec(text.slice(end)) ?? []
  if (unit === undefined || window === undefined) return { subjects, words: text.slice(end) }
  const time = /^\d+s$/.test(window)
    ? `in ${window.slice(0, -1)} seconds`
    : `${window === 'hour' ? 'an' : 'a'} ${window}`
  const atOnce = burst === undefined ? '' : `, ${Number(burst).toLocaleString('en')} at once`
  return { subjects, words: `${Number(amount).toLocaleString('en')} ${unit} ${time}${atOnce}` }
}

export interface RateDraft {
  readonly unit: 'requests' | 'tokens'
  readonly amount: string
  readonly window: 'second' | 'minute' | 'hour' | 'day'
  /** Empty: as much as the amount. */
  readonly burst: string
}

export const newRate: RateDraft = { unit: 'requests', amount: '', window: 'minute', burst: '' }

/** The rule for the record. Keys are named by their id, all others by their name. */
export function ruleOf({ unit, amount, window, burst }: RateDraft, { scope, id, name }: BudgetTarget): string {
  const named = scope === 'key' ? id : name
  const subject = /\s/.test(named) ? `"${named}"` : named
  const atOnce = burst.trim() === '' ? '' : ` burst ${burst.trim()}`
  return `${scope}:${subject} ${unit} ${amount.trim()}/${window}${atOnce}`
}
