/** The table of documents. */
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Document } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { ByteSize } from '../../components/byte-size.tsx'
import { DataTable, type Column, type Selection } from '../../components/data-table.tsx'
import { Icon } from '../../components/icon.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { canRetry } from './document-actions.tsx'
import { StateCell } from './document-state.tsx'
import styles from './document-table.module.css'
import { isUnfinished } from './queries.ts'

export interface DocumentTableProps {
  readonly documents: readonly Document[]
  readonly selection: Selection
  readonly hasMore: boolean
  readonly onEndNear: () => void
  readonly onRange: (first: number, last: number) => void
  readonly onOpen: (document: Document) => void
  readonly onChange: (id: string, change: 'retry' | 'cancel') => void
}

export function DocumentTable({ documents, onChange, ...rest }: DocumentTableProps) {
  const withActions = useMemo(() => [...columns, actionsColumn(onChange)], [onChange])
  return (
    <DataTable
      label="Documents"
      columns={withActions}
      rows={documents}
      rowId={({ doc_id: id }) => id}
      rowName={({ name }) => name}
      {...rest}
    />
  )
}

const columns: readonly Column<Document>[] = [
  {
    id: 'name',
    header: 'Name',
    min: 220,
    narrow: 124,
    grow: 3,
    cell: ({ doc_id: id, name, title }) => (
      <Link to="/documents/$id" params={{ id }} className={styles.name} title={title ?? name} data-name>
        {name}
      </Link>
    ),
  },
  {
    id: 'state',
    header: 'State',
    min: 184,
    narrow: 104,
    grow: 1,
    cell: (document) => <StateCell document={document} />,
  },
  {
    id: 'category',
    header: 'Category',
    min: 104,
    grow: 1,
    priority: 2,
    cell: ({ category }) => <span title={category ?? undefined}>{category}</span>,
  },
  {
    id: 'owners',
    header: 'Visible to',
    min: 120,
    grow: 1,
    priority: 4,
    cell: ({ owners }) => <span title={owners.join(', ')}>{owners.join(', ')}</span>,
  },
  {
    id: 'size',
    header: 'Size',
    min: 84,
    align: 'end',
    priority: 3,
    cell: ({ bytes }) => <ByteSize bytes={bytes} />,
  },
  {
    id: 'imported',
    header: 'Imported',
    min: 128,
    priority: 1,
    cell: ({ created_at: at }) => <RelativeTime at={at} />,
  },
]

function actionsColumn(onChange: DocumentTableProps['onChange']): Column<Document> {
  return {
    id: 'actions',
    header: 'Actions',
    headerHidden: true,
    min: 60,
    cell: (document) => {
      const { doc_id: id, name } = document
      if (canRetry(document)) {
        return (
          <Button variant="quiet" icon aria-label={`Retry ${name}`} title="Retry" onClick={() => onChange(id, 'retry')}>
            <Icon name="retry" />
          </Button>
        )
      }
      if (!isUnfinished(document)) return null
      return (
        <Button
          variant="quiet"
          icon
          aria-label={`Cancel ${name}`}
          title="Cancel"
          onClick={() => onChange(id, 'cancel')}
        >
          <Icon name="stop" />
        </Button>
      )
    },
  }
}
