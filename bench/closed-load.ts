/** Load on one address of a gateway: so many connections, each sending its next request when the last is answered. */
import { join } from 'node:path'
import type { RunningGateway } from './gateway.ts'
import type { Destination } from './http-client.ts'
import type { LoadOrder, LoadReport } from './load.ts'
import { cpuMicroseconds } from './measure.ts'
import { outputOf } from './processes.ts'

export interface LoadFigure {
  readonly requestsPerSecond: number
  readonly cpuPerRequest: number
  readonly failures: number
}

/** Runs the load generator and counts what the gateway uses during the run. */
export async function closedLoad(
  { pid, port, key }: Pick<RunningGateway, 'pid' | 'port' | 'key'>,
  request: { readonly path: string; readonly body: object },
  load: { readonly connections: number; readonly seconds: number },
): Promise<LoadFigure> {
  const destination: Destination = {
    port,
    path: request.path,
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(request.body),
  }
  const { connections: width, seconds } = load
  const order: LoadOrder = { destination, shape: 'closed', width, seconds, tokens: 0, streamMs: 0 }
  const cpuBefore = cpuMicroseconds(pid)
  const printed = await outputOf([process.execPath, join(import.meta.dir, 'load.ts'), JSON.stringify(order)])
  const cpu = cpuMicroseconds(pid) - cpuBefore
  const report = JSON.parse(printed) as LoadReport
  return {
    requestsPerSecond: report.requests / report.seconds,
    cpuPerRequest: cpu / report.requests,
    failures: report.failures,
  }
}
