/** What does joining embeddings requests bring? 64 clients of one text each, at an upstream of 20 ms a call. */
import { closedLoad, type LoadFigure } from './closed-load.ts'
import { startConfigured, writeConfigurationOf, type RunningGateway } from './gateway.ts'
import { median } from './measure.ts'
import type { Workshop } from './processes.ts'
import type { Plan } from './rounds.ts'
import { figure, type Table } from './table.ts'

const clients = [1, 64] as const
/** Calls that the upstream works on at once. */
const widths = [1, 4, 64] as const
const request = { path: '/ai/v1/embeddings', body: { model: 'bench-embed', input: 'Why is the sky blue?' } }

interface Case extends Figures {
  readonly width: number
  readonly connections: number
}

interface Figures {
  readonly apart: LoadFigure[]
  readonly joined: LoadFigure[]
}

export async function measureEmbeddings(workshop: Workshop, plan: Plan): Promise<Table> {
  const cases: Case[] = []
  for (const width of widths) {
    const upstream = await workshop.startServer('embedding-upstream.ts', String(width))
    const apart = await start(workshop, `apart-${width}`, { port: upstream.port, joinMs: 0 })
    const joined = await start(workshop, `joined-${width}`, { port: upstream.port, joinMs: 3 })
    for (const connections of clients) {
      cases.push({ width, connections, ...(await inTurn({ apart, joined }, connections, plan)) })
    }
  }
  return {
    title: 'Batched embeddings requests',
    method:
      `One text a request, ${plan.rounds} rounds of ${plan.seconds} s. The upstream takes 20 ms a call, whatever the number of texts, ` +
      'and works on so many calls at once. Apart: embeddings.join_milliseconds = 0; joined: 3, the default.',
    columns: [
      'upstream',
      'clients',
      'apart, requests/s',
      'joined, requests/s',
      'ratio',
      'CPU µs apart',
      'joined',
      'failures',
    ],
    rows: cases.map(({ width, connections, apart, joined }) => [
      `${width} at once`,
      connections,
      figure(speed(apart), 0),
      figure(speed(joined), 0),
      figure(
        median(joined.map((each, at) => each.requestsPerSecond / (apart[at]?.requestsPerSecond ?? Number.NaN))),
        2,
      ),
      figure(median(apart.map((each) => each.cpuPerRequest)), 0),
      figure(median(joined.map((each) => each.cpuPerRequest)), 0),
      [...apart, ...joined].reduce((sum, each) => sum + each.failures, 0),
    ]),
    rounds: cases,
  }
}

/** Both in every round, after one unmeasured run each. */
async function inTurn(
  gateways: Readonly<Record<keyof Figures, RunningGateway>>,
  connections: number,
  plan: Plan,
): Promise<Figures> {
  const figures: Figures = { apart: [], joined: [] }
  for (let round = 0; round <= plan.rounds; round += 1) {
    const load = { connections, seconds: round === 0 ? 1 : plan.seconds }
    for (const name of ['apart', 'joined'] as const) {
      const one = await closedLoad(gateways[name], request, load)
      if (round > 0) figures[name].push(one)
    }
  }
  return figures
}

function speed(figures: readonly LoadFigure[]): number {
  return median(figures.map((each) => each.requestsPerSecond))
}

function start(
  workshop: Workshop,
  name: string,
  { port, joinMs }: { readonly port: number; readonly joinMs: number },
): Promise<RunningGateway> {
  const file = writeConfigurationOf(workshop, name, {
    embeddings: { join_milliseconds: joinMs },
    providers: [
      {
        name: 'embedder',
        kind: 'openai',
        base_url: `http://127.0.0.1:${port}/v1`,
        models: [{ name: 'bench-embed', groups: ['everyone'] }],
      },
    ],
  })
  return startConfigured(workshop, file)
}
