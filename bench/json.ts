/** What does a whole JSON request cost? Requests per second and CPU time of the server, 32 connections. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Destination } from './http-client.ts'
import { cpuMicroseconds } from './measure.ts'
import { outputOf } from './processes.ts'
import { alternate, applyLoad, medianOf, medianRatio, type Plan } from './rounds.ts'
import { figure, type Table } from './table.ts'
import type { Target } from './targets.ts'

interface JsonFigure {
  readonly requestsPerSecond: number
  readonly cpuPerRequest: number
  readonly failures: number
  /** Milliseconds; NaN without wrk. */
  readonly p50: number
  readonly p99: number
}

const connections = 32
const wrk = Bun.which('wrk')

/** `reference` names the target that the others are compared with. */
export async function measureJson(
  targets: readonly Target[],
  plan: Plan,
  { folder, reference: against = 'nginx' }: { readonly folder: string; readonly reference?: string },
): Promise<Table> {
  const rounds = await alternate(targets, plan.rounds, async (target, isWarmUp): Promise<JsonFigure> => {
    const seconds = isWarmUp ? 2 : plan.seconds
    const cpuBefore = cpuMicroseconds(target.pid)
    const load = await (wrk === null ? ownLoad(target, seconds) : wrkLoad(wrk, target, seconds, folder))
    const cpu = cpuMicroseconds(target.pid) - cpuBefore
    return {
      requestsPerSecond: load.requests / load.seconds,
      cpuPerRequest: cpu / load.requests,
      failures: load.failures,
      p50: (load.p50 ?? NaN) / 1000,
      p99: (load.p99 ?? NaN) / 1000,
    }
  })
  const reference = rounds.get(against) ?? []
  const speed = (one: JsonFigure) => one.requestsPerSecond
  const cost = (one: JsonFigure) => one.cpuPerRequest
  const rows = [...rounds].map(([name, figures]) => [
    name,
    figure(medianOf(figures, speed), 0),
    figure(medianRatio(figures, reference, speed), 2),
    figure(medianOf(figures, cost)),
    figure(medianRatio(figures, reference, cost), 2),
    figure(
      medianOf(figures, ({ p50 }) => p50),
      2,
    ),
    figure(
      medianOf(figures, ({ p99 }) => p99),
      2,
    ),
    figures.reduce((sum, one) => sum + one.failures, 0),
  ])
  return {
    title: 'Whole JSON requests',
    method:
      `${connections} connections, ${plan.rounds} rounds of ${plan.seconds} s, load by ${wrk === null ? 'bench/load.ts' : 'wrk'}. ` +
      'CPU is user and system time of the server process; "direct" shows the upstream itself.',
    columns: ['target', 'requests/s', `÷ ${against}`, 'CPU µs/request', `÷ ${against}`, 'p50 ms', 'p99 ms', 'failures'],
    rows,
    rounds: Object.fromEntries(rounds),
  }
}

interface JsonLoad {
  readonly requests: number
  readonly failures: number
  readonly seconds: number
  /** Microseconds. */
  readonly p50?: number
  readonly p99?: number
}

function ownLoad(target: Target, seconds: number): Promise<JsonLoad> {
  return applyLoad(target, 'json', { shape: 'closed', width: connections, seconds })
}

async function wrkLoad(binary: string, target: Target, seconds: number, folder: string): Promise<JsonLoad> {
  const destination = target.destination('json')
  const script = join(folder, `wrk-${target.name}.lua`)
  writeFileSync(script, luaScript(destination))
  const url = `http://127.0.0.1:${destination.port}${destination.path}`
  const printed = await outputOf([binary, '-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url])
  const report = printed.slice(printed.indexOf('{"requests"'))
  return JSON.parse(report) as JsonLoad
}

/** `[==[…]==]` is Lua's literal string: nothing in it is special. */
function luaScript(destination: Destination): string {
  const headers = Object.entries({ 'Content-Type': 'application/json', ...destination.headers })
  return `
    wrk.method = "POST"
    wrk.body = [==[${destination.body}]==]
    ${headers.map(([name, value]) => `wrk.headers["${name}"] = [==[${value}]==]`).join('\n')}
    function done(summary, latency)
      local e = summary.errors
      local failures = e.connect + e.read + e.write + e.status + e.timeout
      io.write(string.format('{"requests":%d,"failures":%d,"seconds":%.6f,"p50":%.1f,"p99":%.1f}',
        summary.requests, failures, summary.duration / 1e6, latency:percentile(50), latency:percentile(99)))
    end`
}
