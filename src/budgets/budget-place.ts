/** Where hard budgets are kept: rows in the database that all processes share. */
import type { SliceAnswer, SliceChange } from './slice.ts'

export interface BudgetPlace {
  /** Makes this process known as one that holds money. */
  open(holder: string): Promise<void>
  /** Says that the holder lives; false when it was counted as gone, and what it held was taken from it. */
  beat(holder: string): Promise<boolean>
  /** The process stops, no request runs, and all records are stored: what it holds is free. */
  close(holder: string): Promise<void>
  /** Applies a change in one step; null when the holder was counted as gone. Repeated, it has the same answer. */
  change(change: SliceChange): Promise<SliceAnswer | null>
  /** Those of the counters of which some process has lately wanted more than it got. */
  wanted(counters: readonly string[]): Promise<readonly string[]>
}

/** A holder counts as gone when it was not heard of for so long. */
export const holderGoneMs = 60_000
/** A process that could not say that it lives for so long spends nothing of what it holds. */
export const holderLapseMs = 30_000
/** A want is known to the others for so long. */
export const wantedMs = 3000
