/** The metrics of the processes that serve one port together, as one exposition: a scrape reaches only one of them. */

import { setImmediate } from 'node:timers/promises'

/** The other workers of this server, and which one this is. */
export interface OtherWorkers {
  /** Counted from 0. */
  readonly number: number
  /** The exposition of each by its number; null = it does not answer now. Never rejects. */
  expositions(): Promise<ReadonlyMap<number, string | null>>
}

/**
 * All samples of all workers, each with the label `worker`, and `sluice_worker_up` of each. `own` is in the text format of
 * Prometheus 0.0.4, as `Metrics.render` writes it.
 */
export async function joinedExposition(own: Promise<string>, workers: OtherWorkers): Promise<string> {
  const others = await workers.expositions()
  const all = new Map<number, string | null>([...others, [workers.number, await own]])
  const numbers = [...all.keys()].toSorted((one, other) => one - other)
  // A family is written once, with the samples of all.
  const families = new Map<string, string[]>()
  for (const number of numbers) {
    addSamples(families, all.get(number) ?? '', number)
    // Those of many workers are long: requests come in between.
    await setImmediate()
  }
  families.set(
    upHead,
    numbers.map((number) => withWorker(`sluice_worker_up ${all.get(number) === null ? 0 : 1}`, number)),
  )
  return [...families].map(([head, samples]) => `${[head, ...samples].join('\n')}\n`).join('')
}

const upHead = '# HELP sluice_worker_up Whether the worker gave its metrics.\n# TYPE sluice_worker_up gauge'

/** Puts the samples of one exposition below the heads of their families. */
function addSamples(families: Map<string, string[]>, exposition: string, number: number): void {
  for (const family of exposition.split(/^(?=# HELP )/m)) {
    const lines = family.split('\n').filter((line) => line !== '')
    const head = lines.filter((line) => line.startsWith('#')).join('\n')
    const samples = families.get(head) ?? []
    for (const line of lines) if (!line.startsWith('#')) samples.push(withWorker(line, number))
    if (samples.length > 0) families.set(head, samples)
  }
}

/** A sample with one more label. Its name has neither a brace nor a blank. */
function withWorker(sample: string, number: number): string {
  const end = /[{ ]/.exec(sample)?.index ?? sample.length
  const rest = sample[end] === '{' ? `,${sample.slice(end + 1)}` : `}${sample.slice(end)}`
  return `${sample.slice(0, end)}{worker="${number}"${rest}`
}
