/** Whose a journal file is: its name has the machine and the process, which tells whether the owner can still live. */
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** Records of requests that have ended, or those that were written ahead. */
export type JournalKind = 'journal' | 'ahead'

export interface JournalFile {
  readonly kind: JournalKind
  readonly journal: string
  readonly owner: string
  /** Number of its first record. */
  readonly first: number
}

const namePattern = /^([0-9a-f-]{36})@([^@]+)@(\d+)\.(journal|ahead)$/

/** The name of a file of this process. */
export function journalFileName({ kind, journal, first }: Omit<JournalFile, 'owner'>): string {
  return `${journal}@${ownOwner}@${first}.${kind}`
}

/** What a file name says; null for a file of another kind. */
export function readJournalName(name: string): JournalFile | null {
  const [, journal, owner, first, ending] = namePattern.exec(name) ?? []
  const kind = ending === 'ahead' ? 'ahead' : 'journal'
  return journal === undefined || owner === undefined ? null : { kind, journal, owner, first: Number(first) }
}

/**
 * Whether the owner is alive: known for a process of this machine; one of another machine is when it has
 * touched the file in the last minutes. A wrong guess doubles no record: what is stored is not stored again.
 */
export function ownerLives(owner: string, touchedMsAgo: number): boolean {
  if (owner === ownOwner) return true
  const [host, pid, startedAt] = owner.split('!')
  if (host !== ownHost) return touchedMsAgo < silentMs
  return startOf(Number(pid)) === startedAt
}

const silentMs = 180_000

/** When a process was started, in ticks since the machine was: a number that is used again means another process. */
function startOf(pid: number): string | null {
  try {
    // The name of the program is in parentheses and may hold anything: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\)\s/s, '')
      .split(' ')
    return fields[19] ?? null
  } catch {
    return process.platform === 'linux' ? null : startWithoutProc(pid)
  }
}

function startWithoutProc(pid: number): string | null {
  try {
    process.kill(pid, 0)
    return 'unknown'
  } catch {
    return null
  }
}

const ownHost = encodeURIComponent(hostname()).replaceAll('!', '')
const ownOwner = `${ownHost}!${process.pid}!${startOf(process.pid) ?? 'unknown'}`
