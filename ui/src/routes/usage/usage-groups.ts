/** Converts grouped points into a row for each group, and into stacked bars of the largest groups. */
import type { UsagePoint } from '../../api/schema.d.ts'

/** What the largest groups have the most of. */
export type Weight = 'requests' | 'cost'

export interface GroupSums {
  /** The name of the model, or the id of the user, key or group; null = unknown. */
  readonly group: string | null
  readonly requests: number
  readonly errors: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly durationMs: number
  /** In 10^-9 of the currency. */
  readonly cost: number
}

/** The sums of each group over the time range, the largest first. */
export function groupSums(points: readonly UsagePoint[], weight: Weight = 'requests'): readonly GroupSums[] {
  const sums = new Map<string | null, GroupSums>()
  for (const point of points) {
    const before = sums.get(point.group)
    sums.set(point.group, {
      group: point.group,
      requests: (before?.requests ?? 0) + point.requests,
      errors: (before?.errors ?? 0) + point.errors,
      promptTokens: (before?.promptTokens ?? 0) + point.prompt_tokens,
      completionTokens: (before?.completionTokens ?? 0) + point.completion_tokens,
      durationMs: (before?.durationMs ?? 0) + point.duration_ms,
      cost: (before?.cost ?? 0) + point.cost,
    })
  }
  return [...sums.values()].toSorted((a, b) => b[weight] - a[weight] || b.requests - a.requests)
}

export interface Stack {
  /** Start of the bar, in milliseconds since 1970. */
  readonly at: number
  readonly values: readonly number[]
}

export interface StackInput {
  readonly points: readonly UsagePoint[]
  /** Sums of groups that are not in the points. */
  readonly others: readonly UsagePoint[]
  /** The groups that are shown separately, in order. All others are combined after them. */
  readonly shown: readonly (string | null)[]
  readonly from: number
  readonly to: number
  readonly bucketMs: number
  readonly valueOf: (point: UsagePoint) => number
}

/** A stack for each bucket, including empty ones: a value for each shown group, and one for the others. */
export function stackedPoints({ points, others, shown, from, to, bucketMs, valueOf }: StackInput): readonly Stack[] {
  const count = Math.max(1, Math.ceil((to - from) / bucketMs))
  const stacks = Array.from({ length: count }, () => Array<number>(shown.length + 1).fill(0))
  const placed = [
    ...points.map((point) => ({ point, place: shown.indexOf(point.group) })),
    ...others.map((point) => ({ point, place: -1 })),
  ]
  for (const { point, place } of placed) {
    const stack = stacks[Math.floor((Date.parse(point.at) - from) / bucketMs)]
    if (stack === undefined) continue
    const index = place < 0 ? shown.length : place
    stack[index] = (stack[index] ?? 0) + valueOf(point)
  }
  return stacks.map((values, index) => ({ at: from + index * bucketMs, values }))
}
