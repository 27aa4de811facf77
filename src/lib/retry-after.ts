/** The `Retry-After` of an answer (RFC 9110, section 10.2.3). */

/** How long to wait, in milliseconds from `now`; null when the header is missing or neither seconds nor a date. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(text)) return Number(text) * 1000
  // A date has the name of its day: `Date.parse` would take a bare year, too.
  const at = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
