/**
 * Counters, histograms and gauges, and their text for Prometheus
 * (https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4).
 *
 * Our own, because the usual package costs 10 MB and a fifth of the start-up time, and sorts and
 * hashes labels at every observation; here a child is one look-up by its label values.
 */

export interface MetricDefinition {
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
}

export interface HistogramDefinition extends MetricDefinition {
  /** Upper bounds, rising; the one of infinity is added. */
  readonly buckets: readonly number[]
}

/** Adds an amount, or observes a value, under these label values in the order of the definition. */
export interface Recorder {
  (value: number, ...labelValues: readonly string[]): void
  /** The same for label values that are looked up once. */
  at(...labelValues: readonly string[]): (value: number) => void
}

/** One sample of a gauge: its label values, and what it shows. */
export type GaugeSample = readonly [labelValues: readonly string[], value: number]

interface Child {
  /** Written as between the braces; empty without labels. */
  readonly labels: string
  sum: number
  /** Observations of a histogram by bucket, the last one without a bound. */
  readonly buckets: number[]
}

/** The children below some label values, by the next one. */
interface Branch {
  readonly next: Map<string, Branch>
  child: Child | null
}

interface Children {
  readonly root: Branch
  /** In the order in which they came. */
  readonly all: Child[]
}

interface Metric {
  readonly definition: MetricDefinition
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly lines: () => readonly string[] | Promise<readonly string[]>
}

export class MetricRegistry {
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8'
  readonly #metrics: Metric[] = []

  /** A counter. A value that is not a positive number, such as a provider's odd token count, adds nothing. */
  counter(definition: MetricDefinition): Recorder {
    const children: Children = { root: { next: new Map(), child: null }, all: [] }
    const lines = () => children.all.map(({ labels, sum }) => sample(definition.name, labels, sum))
    this.#metrics.push({ definition, type: 'counter', lines })
    return recorderOf(
      (values) => childOf(children, definition, values, 0),
      (child, amount) => {
        if (amount > 0 && Number.isFinite(amount)) child.sum += amount
      },
    )
  }

  /** A histogram. A value that is not a number is ignored. */
  histogram(definition: HistogramDefinition): Recorder {
    const { name, buckets } = definition
    const children: Children = { root: { next: new Map(), child: null }, all: [] }
    const lines = () => children.all.flatMap((child) => histogramLines(name, buckets, child))
    this.#metrics.push({ definition, type: 'histogram', lines })
    return recorderOf(
      (values) => childOf(children, definition, values, buckets.length + 1),
      (child, value) => {
        if (!Number.isFinite(value)) return
        let index = 0
        while (index < buckets.length && value > (buckets[index] ?? Infinity)) index += 1
        child.buckets[index] = (child.buckets[index] ?? 0) + 1
        child.sum += value
      },
    )
  }

  /** A gauge, or with `type` a counter kept elsewhere; read at each scrape. */
  gauge(
    definition: MetricDefinition,
    read: () => Iterable<GaugeSample> | Promise<Iterable<GaugeSample>>,
    type: 'gauge' | 'counter' = 'gauge',
  ): void {
    const { name, labels = [] } = definition
    const lines = async () =>
      [...(await read())].map(([values, value]) => sample(name, labelText(labels, values), value))
    this.#metrics.push({ definition, type, lines })
  }

  /** What there is, in the order of the text. */
  get definitions(): readonly (MetricDefinition & { readonly type: string })[] {
    return this.#metrics.map(({ definition, type }) => ({ ...definition, type }))
  }

  /** Everything, as Prometheus reads it. All is read at once: it takes as long as the slowest gauge. */
  async render(): Promise<string> {
    const parts = this.#metrics.map(async ({ definition: { name, help }, type, lines }) => {
      const escapedHelp = help.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`)
      return [`# HELP ${name} ${escapedHelp}`, `# TYPE ${name} ${type}`, ...(await lines()), '']
    })
    return (await Promise.all(parts)).flat().join('\n')
  }
}

function recorderOf(
  childOfValues: (values: readonly string[]) => Child,
  record: (child: Child, value: number) => void,
): Recorder {
  return Object.assign((value: number, ...values: readonly string[]) => record(childOfValues(values), value), {
    at: (...values: readonly string[]) => {
      const child = childOfValues(values)
      return (value: number) => record(child, value)
    },
  })
}

/** The child of these label values: a look-up for each, which costs less than making one text of them. */
function childOf(
  children: Children,
  definition: MetricDefinition,
  values: readonly string[],
  bucketCount: number,
): Child {
  let { root } = children
  for (const value of values) {
    let next = root.next.get(value)
    if (next === undefined) root.next.set(value, (next = { next: new Map(), child: null }))
    root = next
  }
  if (root.child === null) {
    const labels = labelText(definition.labels ?? [], values)
    root.child = { labels, sum: 0, buckets: Array.from({ length: bucketCount }, () => 0) }
    children.all.push(root.child)
  }
  return root.child
}

function histogramLines(name: string, bounds: readonly number[], { labels, sum, buckets }: Child): readonly string[] {
  const before = labels === '' ? '' : `${labels},`
  let count = 0
  const lines = buckets.map((observed, index) => {
    count += observed
    return sample(`${name}_bucket`, `${before}le="${bounds[index] ?? '+Inf'}"`, count)
  })
  return [...lines, sample(`${name}_sum`, labels, sum), sample(`${name}_count`, labels, count)]
}

function sample(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${value}`
}

function labelText(names: readonly string[], values: readonly string[]): string {
  return names.map((name, index) => `${name}="${escapedValue(values[index] ?? '')}"`).join(',')
}

function escapedValue(value: string): string {
  return value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)
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
