/** Which part of a period is whole days or hours, of which there are sums, and which has to be read from the rows. */

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

export interface Span {
  readonly from: number
  readonly to: number
}

/** Which part of the period comes from where: a unit of sums is of use when it lies in one bucket. */
export function spansOf({ from, to, bucketMs }: Span & { readonly bucketMs: number | null }): {
  readonly days: Span[]
  readonly hours: Span[]
  readonly rows: Span[]
} {
  const isOne = bucketMs === null || bucketMs >= to - from
  const fits = (unitMs: number): boolean => isOne || (bucketMs % unitMs === 0 && from % unitMs === 0)
  const [inHours, outsideHours] = fits(hourMs) ? split({ from, to }, hourMs) : [[], [{ from, to }]]
  const byDay = inHours.map((span): readonly [Span[], Span[]] => (fits(dayMs) ? split(span, dayMs) : [[], [span]]))
  return { days: byDay.flatMap(([days]) => days), hours: byDay.flatMap(([, hours]) => hours), rows: outsideHours }
}

/** The whole units of a span, and what is left at its ends. */
function split({ from, to }: Span, unitMs: number): [Span[], Span[]] {
  const first = floorTo(from + unitMs - 1, unitMs)
  const last = floorTo(to, unitMs)
  if (first >= last) return [[], [{ from, to }]]
  const ends = [
    { from, to: first },
    { from: last, to },
  ].filter((span) => span.from < span.to)
  return [[{ from: first, to: last }], ends]
}

/** The beginning of the unit that holds the moment. */
export function floorTo(at: number, unitMs: number): number {
  return at - (at % unitMs)
}
