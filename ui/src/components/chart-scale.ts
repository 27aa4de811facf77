/** Where the axes of a chart have their marks, and what lies under a pointer. Nothing here touches the page. */

/** Marks of the axis of values: from 0 in even steps of 1, 2, 2.5 or 5 times a power of ten, the last not below the highest. */
export function valueTicks(highest: number, about = 3): readonly number[] {
  if (!(highest > 0)) return [0, 1]
  const rough = highest / about
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const count = Math.ceil(highest / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** Indexes of the points that have a label below them: the first, and each so many that labels of this width do not touch. */
export function labelledPoints(count: number, width: number, labelWidth: number): readonly number[] {
  if (count === 0) return []
  const fitting = Math.max(1, Math.floor(width / labelWidth))
  const every = Math.max(1, Math.ceil(count / fitting))
  return Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every)
}

/** The index of the point at this place; the nearest one beyond the ends. */
export function pointAt(x: number, width: number, count: number): number {
  const index = Math.floor((x / Math.max(1, width)) * count)
  return Math.max(0, Math.min(count - 1, index))
}

/** The index after a key: arrows step, Page Up and Page Down leap, Home and End go to the ends; null for other keys. */
export function pointAfter(key: string, index: number | null, count: number): number | null {
  const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }
  if (count === 0) return null
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  const step = steps[key]
  if (step === undefined) return null
  // From nowhere, the latest point is the first to be looked at.
  if (index === null) return count - 1
  return Math.max(0, Math.min(count - 1, index + step))
}

/** "–" for an unknown value. */
export function valueText(value: number | null, format: (value: number) => string): string {
  return value === null ? '–' : format(value)
}
