/**
 * Rate limits as they are written in the setting `limits.rates`, one rule a text:
 *
 *     user:* model:gpt-4o tokens 100000/minute burst 20000
 *
 * First whom it concerns (all of them have to match; `*` counts each one apart), then what is counted, how
 * much in which time, and how much at once (the amount itself when left out).
 */

export type RateSubject = 'key' | 'user' | 'group' | 'model' | 'provider'
export type RateUnit = 'requests' | 'tokens'

export interface RateRule {
  /** The rule as it was written, in one spelling. */
  readonly text: string
  /** A name, or `*` for each one apart. */
  readonly subjects: ReadonlyMap<RateSubject, string>
  readonly unit: RateUnit
  readonly amount: number
  readonly windowMs: number
  readonly burst: number
}

const windows: Readonly<Record<string, number>> = { second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000 }
const subjectForm = /^(key|user|group|model|provider):("[^"]+"|[^\s"]+)\s+/
const limitForm = /^(requests|tokens)\s+(\d{1,12})\/(second|minute|hour|day|(\d{1,5})s)(?:\s+burst\s+(\d{1,12}))?$/

/** The rule in a text, or null when it has another form. */
export function readRateRule(text: string): RateRule | null {
  const subjects = new Map<RateSubject, string>()
  let rest = text.trim().replaceAll(/\s+/g, ' ')
  const written = rest
  for (let match = subjectForm.exec(rest); match !== null; match = subjectForm.exec(rest)) {
    const subject = match[1] as RateSubject
    if (subjects.has(subject)) return null
    subjects.set(subject, (match[2] ?? '').replaceAll('"', ''))
    rest = rest.slice(match[0].length)
  }
  const limit = limitForm.exec(rest)
  if (limit === null || subjects.size === 0) return null
  const amount = Number(limit[2])
  const windowMs = windows[limit[3] ?? ''] ?? Number(limit[4]) * 1000
  const burst = Number(limit[5] ?? amount)
  if (amount === 0 || windowMs === 0 || burst === 0) return null
  return { text: written, subjects, unit: limit[1] as RateUnit, amount, windowMs, burst }
}
