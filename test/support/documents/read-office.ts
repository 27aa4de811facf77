/** Reading in tests: a reading within ordinary limits, or the code with which it was refused. */

import { ReadFailure } from '#readers/reading.ts'
import type { Reader, Reading, ReadLimits } from '#readers/reading.ts'

const limits: ReadLimits = { textMax: 10_000_000, pagesMax: 1_000, unpackedBytesMax: 100_000_000 }

/** What a reader makes of these bytes. */
export function readBytes(reader: Reader, bytes: Uint8Array, changed: Partial<ReadLimits> = {}): Promise<Reading> {
  return reader.read({ bytes, name: 'file', mediaType: 'application/test', limits: { ...limits, ...changed } })
}

/** The code of its ReadFailure, `read` when there is none; any other error is thrown on. */
export async function failureOfReading(
  reader: Reader,
  bytes: Uint8Array,
  changed: Partial<ReadLimits> = {},
): Promise<string> {
  return failureOf(readBytes(reader, bytes, changed))
}

/** The same for a reading that has begun. */
export async function failureOf(reading: Promise<unknown>): Promise<string> {
  try {
    await reading
  } catch (error) {
    return codeOf(error)
  }
  return 'read'
}

/** The same for an action that is over when it returns. */
export function failureOfAction(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    return codeOf(error)
  }
  return 'read'
}

function codeOf(error: unknown): string {
  if (error instanceof ReadFailure) return error.code
  throw error
}
