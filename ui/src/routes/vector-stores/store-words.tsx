/** What the state of a vector store, and of a file in one, is called. */
import type { VectorStore, VectorStoreFile } from '../../api/schema.d.ts'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { countText } from '../../components/format.ts'

const tones: Readonly<Record<VectorStore['status'] | VectorStoreFile['status'], BadgeTone>> = {
  completed: 'success',
  in_progress: 'accent',
  expired: 'warning',
  failed: 'danger',
  cancelled: 'warning',
}

export function StatusBadge({ status }: Pick<VectorStore | VectorStoreFile, 'status'>) {
  return <Badge tone={tones[status]}>{status.replace('_', ' ')}</Badge>
}

export function storeName({ name, id }: Pick<VectorStore, 'name' | 'id'>): string {
  return name === null || name === '' ? id : name
}

/** "3 files, 1 failed". */
export function filesText({ file_counts: counts }: Pick<VectorStore, 'file_counts'>): string {
  const notes = [
    ...(counts.in_progress === 0 ? [] : [`${counts.in_progress} being read`]),
    ...(counts.failed === 0 ? [] : [`${counts.failed} failed`]),
  ]
  return [countText(counts.total, 'file'), ...notes].join(', ')
}
