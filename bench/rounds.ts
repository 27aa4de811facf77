/** Measures targets in turn, A B A B, so that a change on the machine during the run affects all of them alike. */
import { join } from 'node:path'
import type { LoadOrder, LoadReport } from './load.ts'
import { median } from './measure.ts'
import { outputOf } from './processes.ts'
import { profiles, type ProfileName, type StreamShape } from './profiles.ts'
import type { Target } from './targets.ts'

export interface Plan {
  readonly rounds: number
  /** Seconds of load for one figure. */
  readonly seconds: number
}

/** Figures of one target, one per round. */
export type Rounds<Figure> = ReadonlyMap<string, readonly Figure[]>

/** Every target once per round, after one unmeasured run each to warm up. */
export async function alternate<Figure>(
  targets: readonly Target[],
  rounds: number,
  measure: (target: Target, isWarmUp: boolean) => Promise<Figure>,
): Promise<Rounds<Figure>> {
  const figures = new Map<string, Figure[]>(targets.map((target) => [target.name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const target of targets) {
      const figure = await measure(target, round === 0)
      if (round > 0) figures.get(target.name)?.push(figure)
    }
  }
  return figures
}

/** Median over the rounds of one number of each figure. */
export function medianOf<Figure>(figures: readonly Figure[], pick: (figure: Figure) => number): number {
  return median(figures.map(pick))
}

/** Median of the ratios to a reference within the same round; NaN without the reference. */
export function medianRatio<Figure>(
  figures: readonly Figure[],
  reference: readonly Figure[],
  pick: (figure: Figure) => number,
): number {
  return median(
    figures.flatMap((figure, round) => {
      const other = reference[round]
      return other === undefined ? [] : [pick(figure) / pick(other)]
    }),
  )
}

export function shapeOf(profile: ProfileName): StreamShape | null {
  return profiles[profile]
}

/** Runs the load generator against one target and waits for its report. */
export async function applyLoad(
  target: Target,
  profile: ProfileName,
  load: Pick<LoadOrder, 'shape' | 'width' | 'seconds'>,
): Promise<LoadReport> {
  const shape = shapeOf(profile)
  const order: LoadOrder = {
    ...load,
    destination: target.destination(profile),
    tokens: shape?.events ?? 0,
    streamMs: shape === null ? 0 : shape.firstMs + shape.gapMs * shape.events,
  }
  const printed = await outputOf([process.execPath, join(import.meta.dir, 'load.ts'), JSON.stringify(order)])
  return JSON.parse(printed) as LoadReport
}
