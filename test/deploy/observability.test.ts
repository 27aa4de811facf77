/** The dashboard and the alerts, against the metrics that there are: each expression can be read, and names only these. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { startGateway } from '#test/support/app/gateway-app.ts'

const root = join(import.meta.dir, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[]
}
const dashboard = JSON.parse(read('deploy/observability/grafana-dashboard.json')) as {
  readonly panels: readonly Panel[]
  readonly annotations: { readonly list: readonly { readonly expr: string }[] }
  readonly templating: { readonly list: readonly { readonly query: string }[] }
}
interface Alert {
  readonly alert: string
  readonly expr: string
  readonly annotations: { readonly summary: string }
}
const rules = Bun.YAML.parse(read('deploy/observability/prometheus-rules.yaml')) as {
  readonly groups: readonly { readonly rules: readonly Alert[] }[]
}
const alerts = rules.groups.flatMap((group) => group.rules)
const charts = dashboard.panels.filter(({ type }) => type !== 'row')

/** Everything that is asked of Prometheus, and where. */
const expressions: readonly (readonly [string, string])[] = [
  ...charts.flatMap(({ title, targets = [] }) =>
    targets.map(({ refId, expr }) => [`${title} ${refId}`, expr] as const),
  ),
  ...dashboard.annotations.list.map(({ expr }) => ['annotation', expr] as const),
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
]

interface Parsed {
  readonly isValid: boolean
  /** Metrics, each with the labels that are asked of it. */
  readonly metrics: readonly (readonly [name: string, labels: readonly string[]])[]
}

function parse(expression: string): Parsed {
  // Grafana puts a duration there.
  const text = expression.replaceAll('$__rate_interval', '5m')
  const metrics: [string, readonly string[]][] = []
  let isValid = true
  parser.parse(text).iterate({
    enter({ type, from, to, node }) {
      if (type.isError) isValid = false
      const selector = node.parent
      if (type.name !== 'Identifier' || selector?.name !== 'VectorSelector') return
      const labels = labelsIn(selector, text)
      for (let outer = selector.parent; outer !== null; outer = outer.parent) {
        const modifier = outer.name === 'AggregateExpr' ? outer.getChild('AggregateModifier') : null
        if (modifier !== null) labels.push(...labelsIn(modifier, text))
      }
      metrics.push([text.slice(from, to), labels])
    },
  })
  return { isValid, metrics }
}

function labelsIn({ from, to }: { readonly from: number; readonly to: number }, text: string): string[] {
  const labels: string[] = []
  parser.parse(text).iterate({
    from,
    to,
    enter: (each) => {
      if (each.name === 'LabelName' && each.from >= from && each.to <= to) labels.push(text.slice(each.from, each.to))
    },
  })
  return labels
}

/** Labels that Prometheus and the supervisor add. */
const added = new Set(['job', 'instance', 'worker', 'le'])
/** What is not in the text of a process: of Prometheus itself, and of the supervisor of workers. */
const elsewhere = new Set(['up', 'sluice_worker_up'])

describe('what is asked of Prometheus', () => {
  let gateway: Awaited<ReturnType<typeof startGateway>>
  /** Labels of each metric by its name. */
  const known = new Map<string, readonly string[]>()
  beforeAll(async () => {
    gateway = await startGateway()
    const types = (await (await fetch(`${gateway.url}/metrics`)).text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)
    const rows = new Map(
      [...read('docs/metrics.md').matchAll(/^\| `(\S+)` \| \S+ \| ([^|]*) \|/gm)].map(([, name, labels = '']) => [
        name,
        labels.split(',').map((label) => label.trim()),
      ]),
    )
    for (const [, name = '', type] of types) {
      const labels = rows.get(name)
      expect(labels, `${name} in docs/metrics.md`).toBeDefined()
      const series = type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name]
      for (const each of series) known.set(each, labels ?? [])
    }
  })
  afterAll(() => gateway[Symbol.asyncDispose]())

  test.each(expressions)('%s can be read and names metrics and labels that exist', (_where, expression) => {
    const { isValid, metrics } = parse(expression)
    expect(isValid).toBe(true)
    expect(metrics.length).toBeGreaterThan(0)
    for (const [name, labels] of metrics) {
      if (elsewhere.has(name)) continue
      expect([...known.keys()]).toContain(name)
      expect(labels.filter((label) => !added.has(label) && known.get(name)?.includes(label) !== true)).toEqual([])
    }
  })

  test('covers every metric but those that only describe', () => {
    const asked = new Set(expressions.flatMap(([, expression]) => parse(expression).metrics.map(([name]) => name)))
    const unseen = [...known.keys()].filter((name) => !/_(bucket|sum|count)$/.test(name) && !asked.has(name))
    expect(unseen).toEqual(['sluice_build_info'])
    expect(dashboard.templating.list.some(({ query }) => query.includes('sluice_build_info'))).toBe(true)
  })

  test('is read with the labels of each metric', () => {
    expect(parse('sum(rate(sluice_requests_total[5m])').isValid).toBe(false)
    expect(parse('max(a{x="1"}) and sum by (y) (rate(b{z="1"}[5m]))').metrics).toEqual([
      ['a', ['x']],
      ['b', ['z', 'y']],
    ])
  })
})

describe('the dashboard', () => {
  test('has panels with names and places of their own', () => {
    const ids = dashboard.panels.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const cells = charts.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(charts.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true)
  })
})

test('every alert has its words in the handbook, and the handbook names no other', () => {
  const [, section = ''] = read('docs/operations.md').split('## When an alert fires')
  const named = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)
  expect(named).toEqual(alerts.map(({ alert }) => alert))
})

test('an alert shows only labels that its expression keeps', () => {
  for (const { alert, expr, annotations } of alerts) {
    const shown = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label)
    const kept = /by \(([^)]*)\)/.exec(expr)?.[1]?.split(/, */)
    const isThere = (label: string): boolean => kept?.includes(label) ?? added.has(label)
    expect([alert, shown.filter((label) => !isThere(label))]).toEqual([alert, []])
  }
})
