/** Models as a table. */
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import type { UsableModel } from '../../api/schema.d.ts'
import type { ModelListProps } from './model-cards.tsx'
import styles from './model-table.module.css'

export function ModelTable({ models, onOpen }: ModelListProps) {
  const columns: readonly Column<UsableModel>[] = [
    {
      id: 'name',
      header: 'Name',
      cell: ({ name }) => (
        <span className={styles.name}>
          <span className={styles.text}>{name}</span>
          <CopyButton text={name} what={`name ${name}`} />
        </span>
      ),
    },
    { id: 'aliases', header: 'Aliases', hideBelow: 'medium', cell: ({ aliases }) => aliases.join(', ') || '–' },
    { id: 'provider', header: 'Provider', hideBelow: 'small', width: '120px', cell: ({ provider }) => provider },
    {
      id: 'context',
      header: 'Context',
      hideBelow: 'medium',
      width: '110px',
      align: 'end',
      cell: ({ context_length: length }) => (length === null ? '–' : length.toLocaleString('en')),
    },
    {
      id: 'use',
      header: 'Use',
      width: '88px',
      cell: ({ name }) => (
        <Button onClick={() => onOpen(name)}>
          Use it <span className="visually-hidden">{name}</span>
        </Button>
      ),
    },
  ]
  return (
    <DataTable
      label="Models"
      columns={columns}
      rows={models}
      rowId={({ name }) => name}
      rowName={({ name }) => name}
      onOpen={({ name }) => onOpen(name)}
    />
  )
}
