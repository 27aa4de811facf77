/** What the steps of applying declared entities share. */
import type { Store } from '#store/store.ts'
import type { StoredEntities } from './stored-entities.ts'

export interface ApplyContext {
  readonly store: Store
  /** Kept up to date with what is added, so that later steps find it. */
  readonly entities: StoredEntities
  /** Milliseconds since 1970. */
  readonly now: number
  /** Reports one change that was written. */
  readonly note: (what: 'added' | 'changed' | 'taken over' | 'released', kind: string, name: string) => void
}
