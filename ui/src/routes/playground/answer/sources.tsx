/** The sources of an answer. Each opens its passage. */
import { Link } from '@tanstack/react-router'
import type { Citation } from '../../../api/stream-chat.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { buttonClass } from '../../../components/button.tsx'
import styles from './sources.module.css'

export interface SourcesProps {
  readonly citations: readonly Citation[]
  readonly onOpen: (index: number) => void
}

export function Sources({ citations, onOpen }: SourcesProps) {
  return (
    <div className={styles.sources} role="group" aria-label="Sources">
      <p className={styles.title}>Sources</p>
      <ol className={styles.list}>
        {citations.map((citation) => (
          <li key={citation.index}>
            <button type="button" className={styles.source} onClick={() => onOpen(citation.index)}>
              <span className={styles.index}>{citation.index}</span>
              <span className={styles.name}>{locationOf(citation)}</span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  )
}

export function SourceDialog({ citation, onClose }: { readonly citation: Citation; readonly onClose: () => void }) {
  const { index, doc_id: id, heading_path: headings, text } = citation
  return (
    <Dialog
      open
      onClose={onClose}
      size="large"
      title={`Source ${index}: ${nameOf(citation)}`}
      {...(headings.length > 0 && { description: headings.join(' › ') })}
      actions={
        <Link className={buttonClass()} to="/documents/$id" params={{ id }}>
          Open the document
        </Link>
      }
    >
      <blockquote className={styles.passage}>{text}</blockquote>
    </Dialog>
  )
}

function nameOf({ name, page }: Citation): string {
  return `${name ?? 'Unnamed document'}${page === null ? '' : `, page ${page}`}`
}

function locationOf(citation: Citation): string {
  return [nameOf(citation), ...citation.heading_path].join(' › ')
}
