/** How much memory and time another process has used. */
import { readFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'

const pageBytes = 4_096
/** USER_HZ is 100 on every Linux architecture that Bun runs on. */
const tickMs = 10

/**
 * Resident bytes of a process; zero when it is gone. On Linux one small read; elsewhere it starts `ps`, so ask less often.
 */
export function residentBytes(pid: number): number {
  if (process.platform !== 'linux') {
    return Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()) * 1_024 || 0
  }
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1] ?? 0) * pageBytes
  } catch {
    return 0
  }
}

/** CPU time of all threads of a process in milliseconds, user and system; null where the system does not report it, zero when the process is gone. */
export function cpuMs(pid: number): number | null {
  if (process.platform !== 'linux') return null
  try {
    // proc(5): fields 14 and 15, counted behind the name, which may hold anything.
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * tickMs
  } catch {
    return 0
  }
}

/** How often it is worth asking, in milliseconds. */
export const usagePollMs = process.platform === 'linux' ? 100 : 1_000
