/**
 * Names a process so that another one on the same machine can tell for certain that it has ended. A machine is told by
 * its boot, and process numbers by their namespace, so that two machines or containers are never mixed up.
 * Linux only: elsewhere nothing is certain.
 */
import { readFileSync, readlinkSync } from 'node:fs'

/** Whether the process of this name runs no more. False when that is not certain: on another machine, or without a name. */
export function hasEnded(name: string | null): boolean {
  const [place, pid, startedAt] = name?.split(' ') ?? []
  return place !== undefined && place === ownPlace && isGone(Number(pid), startedAt)
}

/** When a process was started, in ticks since the machine was: a number that is used again means another process. */
export function startOf(pid: number): string | null {
  try {
    // The name of the program is in parentheses and may hold anything: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\)\s/s, '')
      .split(' ')
    return fields[19] ?? null
  } catch {
    return null
  }
}

/** A process of another user is seen, too, even where /proc hides it. */
function isGone(pid: number, startedAt: string | undefined): boolean {
  try {
    process.kill(pid, 0)
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ESRCH'
  }
  const found = startOf(pid)
  return found !== null && found !== startedAt
}

function placeOf(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return null
  }
}

const ownPlace = placeOf()
const ownStart = startOf(process.pid)

/** The name of this process; null where it could not be used. */
export const ownProcess = ownPlace === null || ownStart === null ? null : `${ownPlace} ${process.pid} ${ownStart}`
