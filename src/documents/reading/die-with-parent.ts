/**
 * Ensures that a reading process does not outlive the server, however the server ends and however busy the process
 * is. An ordinary end closes the channel, which a process in the middle of a long computation does not notice; so on
 * Linux the kernel is asked too (prctl(2), PR_SET_PDEATHSIG).
 */
import { dlopen, FFIType } from 'bun:ffi'

const setParentDeathSignal = 1
const sigkill = 9

function askKernel(): void {
  for (const library of ['libc.so.6', 'libc.so']) {
    try {
      const { symbols } = dlopen(library, {
        prctl: { args: [FFIType.int, FFIType.u64, FFIType.u64, FFIType.u64, FFIType.u64], returns: FFIType.int },
      })
      symbols.prctl(setParentDeathSignal, sigkill, 0, 0, 0)
      return
    } catch {
      // Another C library; when none is found, the closed channel remains.
    }
  }
}

/** Ends this process when the one that started it has ended. To be called once, at the start. */
export function dieWithParent(): void {
  const parent = process.ppid
  process.on('disconnect', () => process.exit(0))
  if (process.platform !== 'linux') return
  askKernel()
  // The parent may have ended before the kernel was asked.
  if (process.ppid !== parent) process.exit(0)
}
