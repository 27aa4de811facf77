import { expect, test } from 'bun:test'
import { MetricRegistry } from './metric-registry.ts'

test('the text is what Prometheus reads, with help, type and escaped labels', async () => {
  const registry = new MetricRegistry()
  const hits = registry.counter({ name: 'hits_total', help: 'Hits,\nby "who".', labels: ['who'] })
  hits(1, 'a\\b"c\nd')
  hits(2, 'a\\b"c\nd')
  registry.gauge({ name: 'depth', help: 'Depth.' }, () => [[[], 4]])
  expect(await registry.render()).toBe(
    [
      '# HELP hits_total Hits,\\nby "who".',
      '# TYPE hits_total counter',
      'hits_total{who="a\\\\b\\"c\\nd"} 3',
      '',
      '# HELP depth Depth.',
      '# TYPE depth gauge',
      'depth 4',
      '',
    ].join('\n'),
  )
})

test('buckets of a histogram are cumulative, and each bound belongs to its bucket', async () => {
  const registry = new MetricRegistry()
  const seconds = registry.histogram({ name: 's', help: 'S.', buckets: [1, 2] })
  for (const value of [0.5, 1, 1.5, 2, 99, Number.NaN]) seconds(value)
  const lines = (await registry.render()).split('\n').filter((line) => line.startsWith('s_'))
  expect(lines).toEqual(['s_bucket{le="1"} 2', 's_bucket{le="2"} 4', 's_bucket{le="+Inf"} 5', 's_sum 104', 's_count 5'])
})

test('a counter never falls, and what is not an amount adds nothing', async () => {
  const registry = new MetricRegistry()
  const count = registry.counter({ name: 'c', help: 'C.' })
  for (const amount of [1, -5, Number.NaN, Infinity, 0]) count(amount)
  expect(await registry.render()).toContain('\nc 1\n')
})
