/** The timeline of a document: the time and duration of each state. */
import type { Document } from '../../api/schema.d.ts'
import { stages, doneShare, doneText, StateBadge } from '../documents/document-state.tsx'
import { isUnfinished, unfinishedStates, type DocumentState } from '../documents/queries.ts'
import { durationText } from '../../components/format.ts'
import { Progress } from '../../components/progress.tsx'
import styles from './stage-timeline.module.css'

const clock = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })

const stateOrder: readonly DocumentState[] = [...unfinishedStates, 'completed', 'failed', 'cancelled']

export function StageTimeline({ document }: { readonly document: Document }) {
  const entered = Object.entries(document.timestamps)
    .map(([state, at]) => ({ state: state as DocumentState, at: Date.parse(at) }))
    // Two states can begin in the same millisecond.
    .sort((a, b) => a.at - b.at || stateOrder.indexOf(a.state) - stateOrder.indexOf(b.state))
  return (
    <ol className={styles.timeline}>
      {entered.map(({ state, at }, index) => {
        const next = entered[index + 1]
        return (
          <li key={state} className={styles.step}>
            <StateBadge state={state} />
            <time dateTime={new Date(at).toISOString()} className={styles.at}>
              {clock.format(at)}
            </time>
            <span className={styles.took}>{next === undefined ? '' : durationText(next.at - at)}</span>
          </li>
        )
      })}
    </ol>
  )
}

/** The counts of each stage, with bars during the processing. */
export function StageProgress({ document }: { readonly document: Document }) {
  return (
    <dl className={styles.counts}>
      {stages.map(({ name, verb }) => {
        const counted = document.progress[name]
        return (
          <div key={name} className={styles.count}>
            <dt>{name === 'embedded' ? 'Embedded' : `${name === 'pages' ? 'Pages' : 'Chunks'} ${verb}`}</dt>
            <dd>
              {counted.done === 0 && counted.total === 0 ? '–' : doneText(counted)}
              {isUnfinished(document) && <Progress label={`${name} ${verb}`} value={doneShare(counted) ?? 0} />}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
