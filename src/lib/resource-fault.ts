/**
 * Errors that say that the machine has run out of something, not that a request or a file is wrong: a full disk, no
 * more open files. The codes are those of the system (errno(3)) and of SQLite (https://sqlite.org/rescode.html).
 */

export type ResourceFault =
  /** The disk is full or cannot be written. */
  | 'storage_full'
  /** There are no more files, processes or memory. */
  | 'overloaded'

/** The same from another process, which sends what it has run out of. */
export class ResourceExhausted extends Error {
  readonly fault: ResourceFault

  constructor(fault: ResourceFault, detail: string) {
    super(detail)
    this.name = 'ResourceExhausted'
    this.fault = fault
  }
}

/** EFBIG is a limit of the process on the size of files; SQLite reports a disk that is full or fails in several ways. */
const storageCodes = /^(ENOSPC|EDQUOT|EFBIG|EIO|EROFS|SQLITE_FULL|SQLITE_IOERR.*)$/
const loadCodes = /^(EMFILE|ENFILE|ENOMEM|SQLITE_CANTOPEN.*|SQLITE_NOMEM)$/
const causesMax = 5

/** What an error, or one of its causes, says that the machine has run out of; null for any other error. */
export function resourceFaultOf(thrown: unknown): ResourceFault | null {
  let error = thrown
  for (let depth = 0; depth < causesMax && error instanceof Error; depth += 1) {
    if (error instanceof ResourceExhausted) return error.fault
    const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
    if (storageCodes.test(code)) return 'storage_full'
    if (loadCodes.test(code)) return 'overloaded'
    error = error.cause
  }
  return null
}
