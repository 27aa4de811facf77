/** Models as a table. */
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { CellName } from '../../components/row-name.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import type { UsableModel } from '../../api/schema.d.ts'
import type { ModelListProps } from './model-cards.tsx'
import styles from './model-table.module.css'

export function ModelTable({ models, onOpen }: ModelListProps) {
  const columns: readonly Column<UsableModel>[] = [
    {
      id: 'name',
      header: 'Name',
      min: 220,
      narrow: 180,
      grow: 2,
      sortBy: ({ name }) => name,
      cell: ({ name }) => (
        <span className={styles.name}>
          <CellName name={name} />
          <CopyButton text={name} what={`name ${name}`} />
        </span>
      ),
    },
    {
      id: 'aliases',
      header: 'Aliases',
      min: 120,
      grow: 1,
      priority: 3,
      cell: ({ aliases }) => aliases.join(', ') || '–',
    },
    {
      id: 'provider',
      header: 'Provider',
      min: 128,
      grow: 1,
      priority: 1,
      sortBy: ({ provider }) => provider,
      cell: ({ provider }) => provider,
    },
    {
      id: 'context',
      header: 'Context',
      min: 100,
      priority: 2,
      sortBy: ({ context_length: length }) => length,
      align: 'end',
      cell: ({ context_length: length }) => (length === null ? '–' : length.toLocaleString('en')),
    },
    {
      id: 'use',
      header: 'Use',
      min: 88,
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
