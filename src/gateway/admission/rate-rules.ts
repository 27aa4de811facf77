/**
 * The rate limits that apply to a request, found by whom they name: a request looks at the rules that could be about
 * it, however many there are about others.
 */
import type { RateRule, RateSubject } from '#config/settings/rate-rule.ts'
import { everyoneGroupId, type Caller } from '#identity/records.ts'
import type { RateCost } from '#limits/rate-buckets.ts'

/** What rules can name: its id, and its name of now. */
export interface Named {
  readonly id: string
  readonly name: string
}

/** Whom a request concerns. */
export interface RatedParties {
  readonly caller: Caller
  readonly model: Named
  /** Null where it is not known yet. */
  readonly provider: Named | null
}

/** The name of a group; undefined when there is none with this id. */
export type GroupNameOf = (id: string) => string | undefined

/** A rule is found by the first of these that it names. */
const subjects: readonly RateSubject[] = ['key', 'user', 'group', 'model', 'provider']

export class RateRules {
  readonly #groupNameOf: GroupNameOf
  /** The first key is the subject, the second what the rule names. */
  readonly #naming = new Map<RateSubject, Map<string, RateRule[]>>()
  /** Those that count each one of all. */
  readonly #ofAll: RateRule[] = []
  readonly size: number

  constructor(rules: readonly RateRule[], groupNameOf: GroupNameOf) {
    this.#groupNameOf = groupNameOf
    this.size = rules.length
    for (const rule of rules) this.#add(rule)
  }

  /** What a request takes of each rule that is about it; once for each group that a rule for all groups counts apart. */
  costs(parties: RatedParties, tokens: number): readonly RateCost[] {
    if (this.size === 0) return []
    const costs: RateCost[] = []
    const add = (rule: RateRule): void => {
      for (const values of this.#counted(rule, parties)) costs.push(costOf(rule, values, tokens))
    }
    this.#ofAll.forEach(add)
    for (const [subject, naming] of this.#naming) {
      for (const { id, name } of this.#named(subject, parties)) {
        naming.get(id)?.forEach(add)
        if (name !== id) naming.get(name)?.forEach(add)
      }
    }
    return costs
  }

  #add(rule: RateRule): void {
    const subject = subjects.find((each) => (rule.subjects.get(each) ?? '*') !== '*')
    if (subject === undefined) return void this.#ofAll.push(rule)
    const naming = this.#naming.getOrInsertComputed(subject, () => new Map<string, RateRule[]>())
    naming.getOrInsertComputed(written(rule, subject), () => []).push(rule)
  }

  /** The ids for which a rule counts the request, a list for each of the caller's groups that it concerns. */
  #counted(rule: RateRule, parties: RatedParties): readonly (readonly string[])[] {
    let counted: string[][] = [[]]
    for (const subject of rule.subjects.keys()) {
      const wanted = written(rule, subject)
      const matching = this.#named(subject, parties).filter(({ id, name }) =>
        wanted === '*' ? id !== everyoneGroupId : wanted === id || wanted === name,
      )
      counted = matching.flatMap(({ id }) => counted.map((values) => [...values, id]))
    }
    return counted
  }

  #named(subject: RateSubject, { caller: { account, key }, model, provider }: RatedParties): readonly Named[] {
    switch (subject) {
      case 'key':
        return key === null ? [] : [{ id: key.id, name: key.id }]
      case 'user':
        return [{ id: account.user.id, name: account.user.email }]
      case 'group':
        return Array.from(account.groupIds, (id) => ({ id, name: this.#groupNameOf(id) ?? id }))
      case 'model':
        return [model]
      case 'provider':
        return provider === null ? [] : [provider]
    }
  }
}

/** E-mail addresses are in lower case. */
function written(rule: RateRule, subject: RateSubject): string {
  const wanted = rule.subjects.get(subject) ?? '*'
  return subject === 'user' ? wanted.toLowerCase() : wanted
}

function costOf(rule: RateRule, ids: readonly string[], tokens: number): RateCost {
  // More than the bucket holds could never be taken: such a request waits for all of it, and settles the rest.
  const amount = rule.unit === 'requests' ? 1 : Math.min(tokens, rule.burst)
  return { rule, key: `rate ${rule.text} ${ids.join(' ')}`, amount }
}
