/** How much memory another process uses. */
import { readFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'

const pageBytes = 4_096

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

/** How often it is worth asking, in milliseconds. */
export const residentPollMs = process.platform === 'linux' ? 100 : 1_000
