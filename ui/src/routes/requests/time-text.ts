/** Times of requests as text. */

const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })
const time = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' })

/** "Nov 20" in local time. */
export function dateText(at: string): string {
  return day.format(Date.parse(at))
}

/** "14:03:09" in local time. */
export function timeText(at: string): string {
  return time.format(Date.parse(at))
}

/** The full date and time with the time zone. */
export function exactTimeText(at: string): string {
  return exact.format(Date.parse(at))
}
