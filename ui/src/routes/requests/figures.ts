/** How moments and durations of requests are written. */

const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })
const time = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' })
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** "Nov 20", local. */
export function dateText(at: string): string {
  return day.format(Date.parse(at))
}

/** "14:03:09", local. */
export function timeText(at: string): string {
  return time.format(Date.parse(at))
}

/** Everything about the moment, its zone too. */
export function exactTimeText(at: string): string {
  return exact.format(Date.parse(at))
}

/** "310 ms", "1.2 s", "4 min 5 s" */
export function secondsText(ms: number): string {
  if (ms < 1000) return `${whole.format(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}
