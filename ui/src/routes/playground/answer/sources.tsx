/** The sources of an answer. Each opens at its passage. */
import type { Citation } from '../../../api/stream-chat.ts'
import styles from './sources.module.css'

export interface SourcesProps {
  readonly citations: readonly Citation[]
  readonly onOpen: (citation: Citation) => void
}

export function Sources({ citations, onOpen }: SourcesProps) {
  return (
    <div className={styles.sources} role="group" aria-label="Sources">
      <p className={styles.title}>Sources</p>
      <ol className={styles.list}>
        {citations.map((citation) => (
          <li key={citation.index}>
            <button type="button" className={styles.source} onClick={() => onOpen(citation)}>
              <span className={styles.index}>{citation.index}</span>
              <span className={styles.name}>{locationOf(citation)}</span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  )
}

/** "handbook.pdf, page 3" */
export function nameOf({ name, page }: Pick<Citation, 'name' | 'page'>): string {
  return `${name ?? 'Unnamed document'}${page === null ? '' : `, page ${page}`}`
}

function locationOf(citation: Citation): string {
  return [nameOf(citation), ...citation.heading_path].join(' › ')
}
