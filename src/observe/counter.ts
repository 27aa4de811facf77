/**
 * Counters for hot paths. prom-client sorts and hashes the labels at every increment, some 250 ns
 * each; here a child is one look-up in a Map, and prom-client gets the sums
 * when somebody scrapes.
 */
import { Counter, type Registry } from 'prom-client'

export interface CounterDefinition {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

/** Adds to the child with these label values, in the order of the definition. */
export type CounterRecorder = (amount: number, ...values: readonly string[]) => void

interface Child {
  readonly labels: Readonly<Record<string, string>>
  sum: number
}

/** A counter of the registry. What is no positive number, such as a provider's odd token count, adds nothing. */
export function createCounter(registry: Registry, definition: CounterDefinition): CounterRecorder {
  const children = new Map<string, Child>()
  new Counter({
    name: definition.name,
    help: definition.help,
    labelNames: definition.labels,
    registers: [registry],
    collect() {
      this.reset()
      for (const { labels, sum } of children.values()) this.inc(labels, sum)
    },
  })
  return (amount, ...values) => {
    const key = values.join('\0')
    let child = children.get(key)
    if (child === undefined) {
      const pairs = definition.labels.map((label, index) => [label, values[index] ?? ''] as const)
      child = { labels: Object.fromEntries(pairs), sum: 0 }
      children.set(key, child)
    }
    if (amount > 0 && Number.isFinite(amount)) child.sum += amount
  }
}

/** Passes the first `valuesMax` different values on, and every later one as `other`. */
export function labelBound(valuesMax: number): (value: string) => string {
  const seen = new Set<string>()
  return (value) => {
    if (seen.has(value)) return value
    if (seen.size >= valuesMax) return 'other'
    seen.add(value)
    return value
  }
}
