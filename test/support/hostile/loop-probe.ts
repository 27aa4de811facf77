/**
 * Loaded into a server before its own code (`bun --preload`): measures the longest stretch of work that
 * the main thread did without coming back to its timers, in CPU time of that thread alone, so that what
 * else the machine does is not counted. At SIGUSR2 it writes what it has seen since the last time to the
 * file that LOOP_PROBE_FILE names.
 */
import { dlopen, FFIType, ptr } from 'bun:ffi'
import { renameSync, writeFileSync } from 'node:fs'

/** What one report says. */
export interface ProbeReport {
  /** Counts up from 1. */
  readonly report: number
  /** Longest stretch of work, milliseconds of the main thread's CPU. */
  readonly longestMs: number
  /** Resident memory now, and the most that was seen, bytes. */
  readonly resident: number
  readonly residentMax: number
  /** A linear scan of one mebibyte by plain code on this thread, milliseconds; measured for each report. */
  readonly scanMs: number
}

const file = process.env['LOOP_PROBE_FILE']
const threadCpuClock = 3 // CLOCK_THREAD_CPUTIME_ID of Linux
const time = new BigInt64Array(2)
const { symbols } = dlopen('libc.so.6', {
  clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
})

function threadCpuMs(): number {
  symbols.clock_gettime(threadCpuClock, ptr(time))
  return Number(time[0]) * 1e3 + Number(time[1]) / 1e6
}

const scanned = new Uint8Array(1024 * 1024).map((_, index) => index * 31)

/** The best of several scans, so that warming up is not counted. */
function calibrate(rounds: number): number {
  let best = Infinity
  let sum = 0
  for (let round = 0; round < rounds; round += 1) {
    const from = threadCpuMs()
    for (let index = 0; index < scanned.length; index += 1) sum = (sum * 31 + (scanned[index] ?? 0)) | 0
    best = Math.min(best, threadCpuMs() - from)
  }
  // Read once, so that no compiler leaves the loop out.
  return sum === 0.5 ? 0 : best
}

function watch(path: string): void {
  // Warm from the first report on.
  calibrate(20)
  let report = 0
  let longestMs = 0
  let residentMax = 0
  let last = threadCpuMs()
  let ticks = 0
  const tick = (): void => {
    const now = threadCpuMs()
    longestMs = Math.max(longestMs, now - last)
    ticks += 1
    if (ticks % 16 === 0 || now - last > 5) residentMax = Math.max(residentMax, process.memoryUsage.rss())
    last = threadCpuMs()
  }
  setInterval(tick, 1).unref()
  process.on('SIGUSR2', () => {
    tick()
    report += 1
    const resident = process.memoryUsage.rss()
    const scanMs = calibrate(3)
    const seen: ProbeReport = { report, longestMs, resident, residentMax: Math.max(residentMax, resident), scanMs }
    writeFileSync(`${path}.new`, JSON.stringify(seen))
    renameSync(`${path}.new`, path)
    longestMs = 0
    residentMax = 0
    last = threadCpuMs()
  })
}

if (file !== undefined) watch(file)
