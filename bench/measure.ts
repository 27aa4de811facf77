/** Numbers of processes from /proc, and numbers of numbers. Linux only. */
import { readdirSync, readFileSync } from 'node:fs'

/** USER_HZ is 100 on every Linux architecture that Bun runs on. */
const ticksPerSecond = 100

interface ProcessStat {
  readonly pid: number
  readonly parent: number
  readonly cpuTicks: number
}

/** Null when the process is gone. Fields as in proc(5), /proc/[pid]/stat. */
function readStat(pid: number): ProcessStat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name stands in parentheses and may hold anything, so count from the last one.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return {
      pid,
      parent: Number(fields[1]),
      cpuTicks: [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0),
    }
  } catch {
    return null
  }
}

/** The process and all that it started, directly or not. */
function family(pid: number): readonly ProcessStat[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? [])
  const members: ProcessStat[] = all.filter((stat) => stat.pid === pid)
  // The list grows while it is walked: children of children follow.
  for (const member of members) members.push(...all.filter((stat) => stat.parent === member.pid))
  return members
}

/** CPU time, user and system, of a process and its children since they began, those that have ended included. Microseconds, in steps of 10,000. */
export function cpuMicroseconds(pid: number): number {
  const ticks = family(pid).reduce((sum, stat) => sum + stat.cpuTicks, 0)
  return (ticks * 1_000_000) / ticksPerSecond
}

/** Resident memory of a process and its children. MiB. */
export function residentMib(pid: number): number {
  return family(pid).reduce((sum, member) => sum + ownResidentMib(member.pid), 0)
}

/** Resident memory of a process alone. MiB. */
export function ownResidentMib(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'latin1')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / 1024
}

/** The value below which this share of the values lies (nearest rank); NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** CPU time of the threads of a process, without its children, to the nanosecond that the scheduler counts. For short runs. */
export function exactCpuMicroseconds(pid: number): number {
  let sum = 0
  for (const thread of readdirSync(`/proc/${pid}/task`))
    sum += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ', 1)[0])
  return sum / 1000
}
