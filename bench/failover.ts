/**
 * What does a composite cost? CPU time of a request to a composite of three against one to a plain
 * model, and how much later an answer comes when the first component refuses the connection.
 */
import { closedLoad, type LoadFigure } from './closed-load.ts'
import { startConfigured, writeConfigurationOf, type RunningGateway } from './gateway.ts'
import { Connection, requestBytes } from './http-client.ts'
import { median, percentile } from './measure.ts'
import { freePort, type Workshop } from './processes.ts'
import { requestBody } from './profiles.ts'
import type { Plan } from './rounds.ts'
import { figure, type Table } from './table.ts'

interface FailoverFigure extends LoadFigure {
  /** The median of requests sent one after the other, in milliseconds. */
  readonly p50Ms: number
}

const path = '/ai/v1/chat/completions'
const models = ['plain', 'three', 'refused-first'] as const
type ModelName = (typeof models)[number]
const connections = 32
const noLoad: LoadFigure = { requestsPerSecond: Number.NaN, cpuPerRequest: Number.NaN, failures: 0 }
/** A component is never left out before its thousandth failure in a row, the highest that can be set. */
const failuresMax = 1000

export async function measureFailover(workshop: Workshop, plan: Plan): Promise<Table> {
  const upstream = await workshop.startServer('upstream.ts')
  const gateway = await startConfigured(workshop, configuration(workshop, upstream.port))
  const figures = new Map<ModelName, FailoverFigure[]>(models.map((model) => [model, []]))
  for (let round = 0; round <= plan.rounds; round += 1) {
    for (const model of models) {
      const singles = Math.floor(failuresMax / (plan.rounds + 1)) - 1
      const one = await measureModel(gateway, model, { seconds: round === 0 ? 1 : plan.seconds, singles })
      if (round > 0) figures.get(model)?.push(one)
    }
  }
  const of = (model: ModelName, pick: (one: FailoverFigure) => number) => median((figures.get(model) ?? []).map(pick))
  const added = (model: ModelName, pick: (one: FailoverFigure) => number) =>
    median((figures.get(model) ?? []).map((one, at) => pick(one) - pick(figures.get('plain')?.[at] ?? one)))
  return {
    title: 'Composites and failover',
    method:
      `CPU: ${connections} connections, ${plan.rounds} rounds of ${plan.seconds} s. p50: requests one after the other. ` +
      '"three" has three components that answer; of "refused-first" nothing listens where the first one is, ' +
      'it is asked first every time, and never left out. Added = median of the differences to "plain" within a round.',
    columns: ['model', 'CPU µs/request', 'added', 'p50 ms', 'added', 'failures'],
    rows: models.map((model) => [
      model,
      figure(of(model, (one) => one.cpuPerRequest)),
      figure(added(model, (one) => one.cpuPerRequest)),
      figure(
        of(model, (one) => one.p50Ms),
        3,
      ),
      figure(
        added(model, (one) => one.p50Ms),
        3,
      ),
      (figures.get(model) ?? []).reduce((sum, one) => sum + one.failures, 0),
    ]),
    rounds: Object.fromEntries(figures),
  }
}

function configuration(workshop: Workshop, upstreamPort: number): string {
  const provider = (name: string, port: number, names: readonly string[]) => ({
    name,
    kind: 'openai',
    base_url: `http://127.0.0.1:${port}/json/v1`,
    models: names.map((each) => ({ name: each, groups: ['everyone'] })),
  })
  return writeConfigurationOf(workshop, 'failover', {
    // A component that was left out would not be asked, and nothing would be measured.
    health: { failures_to_eject: failuresMax, ejection_seconds: 0.05, ejection_max_seconds: 0.05 },
    providers: [
      provider('one', upstreamPort, ['plain', 'a']),
      provider('two', upstreamPort, ['b']),
      provider('three', upstreamPort, ['c']),
      provider('nobody', freePort(), ['gone']),
    ],
    composites: [
      { name: 'three', groups: ['everyone'], components: ['a', 'b', 'c'].map((model) => ({ model })) },
      {
        name: 'refused-first',
        groups: ['everyone'],
        strategy: 'priority',
        components: ['gone', 'a'].map((model, priority) => ({ model, priority })),
      },
    ],
  })
}

interface Measuring {
  readonly seconds: number
  /** Requests one after the other. */
  readonly singles: number
}

async function measureModel(
  gateway: RunningGateway,
  model: ModelName,
  { seconds, singles }: Measuring,
): Promise<FailoverFigure> {
  const body = { ...(JSON.parse(requestBody('json')) as object), model }
  // Under load its thousandth failure would come at once.
  const load = model === 'refused-first' ? noLoad : await closedLoad(gateway, { path, body }, { connections, seconds })
  const connection = new Connection(gateway.port)
  const headers = { authorization: `Bearer ${gateway.key}` }
  const bytes = requestBytes({ port: gateway.port, path, headers, body: JSON.stringify(body) })
  const tookMs: number[] = []
  let failures = load.failures
  for (let index = 0; index < singles; index += 1) {
    const startedAt = performance.now()
    const { status } = await connection.context(bytes).outcome
    tookMs.push(performance.now() - startedAt)
    if (status !== 200) failures += 1
  }
  connection.close()
  return { ...load, failures, p50Ms: percentile(tookMs, 0.5) }
}
