/** The limits that a request counted in: what each had left right after it, and which one refused it. */
import type { RequestRecord } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { Fact } from '../../components/facts.tsx'
import { wholeText } from '../../components/format.ts'
import { moneyText } from '../../components/money.ts'
import { Section } from './request-facts.tsx'

type Limit = RequestRecord['limits'][number]

export function RequestLimits({ request: { limits, currency } }: { readonly request: RequestRecord }) {
  if (limits.length === 0) return null
  return (
    <Section label="Limits applied">
      {limits.map((limit) => (
        <Fact key={`${limit.kind} ${limit.name}`} name={nameOf(limit)}>
          {limit.refused && <Badge tone="danger">refused</Badge>} {leftText(limit, currency)}
        </Fact>
      ))}
    </Section>
  )
}

const kinds: Readonly<Record<Limit['kind'], (name: string) => string>> = {
  inflight: (name) => `In flight on ${name}`,
  rate: (name) => `Rate ${name}`,
  budget: (name) => name.slice(0, 1).toUpperCase() + name.slice(1),
  queue: (name) => `At once on the ${name}`,
}

function nameOf({ kind, name }: Limit): string {
  return kinds[kind](name)
}

/** "3 of 5 requests left"; "5 requests" where nobody knows what was left. */
function leftText({ unit, limit, left }: Limit, currency: string): string {
  const amount = (value: number): string => (unit === 'money' ? moneyText(value, currency) : wholeText(value))
  const noun = unit === 'money' ? '' : ` ${unit}`
  return left === null ? `${amount(limit)}${noun}` : `${amount(left)} of ${amount(limit)}${noun} left`
}
