/** The state and progress of a document. */
import type { Document } from '../../api/schema.d.ts'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { countText } from '../../components/format.ts'
import { Progress } from '../../components/progress.tsx'
import styles from './document-state.module.css'
import { isUnfinished, type DocumentState } from './queries.ts'

const tones: Readonly<Record<DocumentState, BadgeTone>> = {
  queued: 'neutral',
  reading: 'accent',
  chunking: 'accent',
  embedding: 'accent',
  storing: 'accent',
  completed: 'success',
  failed: 'danger',
  cancelled: 'warning',
}

export function StateBadge({ state }: { readonly state: DocumentState }) {
  return <Badge tone={tones[state]}>{state}</Badge>
}

/** The stages of processing, with the unit that each counts. */
export const stages = [
  { name: 'pages', verb: 'read' },
  { name: 'chunks', verb: 'made' },
  { name: 'embedded', verb: 'embedded' },
] as const

/** The current stage; null before the first count. */
function currentStage({ progress }: Document): (typeof stages)[number]['name'] | null {
  const begun = stages.filter(({ name }) => progress[name].total > 0 || progress[name].done > 0)
  return begun.at(-1)?.name ?? null
}

/** The finished share, from 0 to 1; null while the total is unknown. */
export function doneShare({ done, total }: { readonly done: number; readonly total: number }): number | null {
  return total === 0 ? null : Math.min(1, done / total)
}

/** "3 of 12", "5". */
export function doneText({ done, total }: { readonly done: number; readonly total: number }): string {
  const count = (value: number): string => value.toLocaleString('en')
  return total === 0 || done === total ? count(done) : `${count(done)} of ${count(total)}`
}

/** The cell of a table: the state with its progress or error. */
export function StateCell({ document }: { readonly document: Document }) {
  const { state, error, progress, name } = document
  const stage = currentStage(document)
  const isMoving = isUnfinished(document) && state !== 'queued'
  return (
    <div className={styles.cell}>
      <span className={styles.line}>
        <StateBadge state={state} />
        {isMoving && stage !== null && (
          <span className={styles.note}>
            {doneText(progress[stage])} {stage}
          </span>
        )}
        {state === 'completed' && <span className={styles.note}>{countText(progress.chunks.done, 'chunk')}</span>}
        {error !== null && (
          <span className={styles.note} title={`${error.message} (${error.code}, ${error.stage})`}>
            {error.message}
          </span>
        )}
      </span>
      {isMoving && <Progress label={`${name}: ${state}`} value={stage === null ? null : doneShare(progress[stage])} />}
    </div>
  )
}
