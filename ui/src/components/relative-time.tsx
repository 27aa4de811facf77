/** A relative time ("3 minutes ago"), exact on hover. */

/** The length of each unit, and the distance from which it is used: "in 42 days" is clearer than "next month". */
const units = [
  ['year', 31_536_000_000, 63_072_000_000],
  ['month', 2_592_000_000, 7_776_000_000],
  ['day', 86_400_000, 86_400_000],
  ['hour', 3_600_000, 3_600_000],
  ['minute', 60_000, 60_000],
] as const

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' })
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

/** @param at RFC 3339; null shows `never` */
export function RelativeTime({ at, never = 'never' }: { readonly at: string | null; readonly never?: string }) {
  if (at === null) return <span>{never}</span>
  const date = new Date(at)
  return (
    <time dateTime={at} title={exact.format(date)}>
      {wordsFor(date.getTime() - Date.now())}
    </time>
  )
}

function wordsFor(distanceMs: number): string {
  const unit = units.find(([, , from]) => Math.abs(distanceMs) >= from)
  if (unit === undefined) return distanceMs > 0 ? 'in a moment' : 'just now'
  return relative.format(Math.round(distanceMs / unit[1]), unit[0])
}
