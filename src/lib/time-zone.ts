/** Names of time zones. */

/** Whether the runtime knows the time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const monthMs = 30 * 86_400_000

/** Whether the time zone is known, and whole hours from UTC in every part of this year. */
export function isHourTimeZone(name: string): boolean {
  if (!isTimeZone(name)) return false
  const minutes = new Intl.DateTimeFormat('en', { timeZone: name, minute: 'numeric' })
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000
  return Array.from({ length: 12 }, (_, month) => minutes.format(hour - month * monthMs)).every((text) => text === '0')
}
