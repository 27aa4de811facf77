/** The table of batches, with the actions on each. */
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { percentText, wholeText } from '../../components/format.ts'
import { MenuItem } from '../../components/menu.tsx'
import { moneyText } from '../../components/money.ts'
import { Progress } from '../../components/progress.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { menuColumn, RowMenu } from '../../components/row-menu.tsx'
import { CellName } from '../../components/row-name.tsx'
import { batchName, doneShare, doneText, linesPerSecond, paceText, rfc3339, untilText } from './batch-figures.ts'
import styles from './batches.module.css'
import { contentPath, isOpen, type Batch } from './queries.ts'

export interface BatchTableProps {
  readonly batches: readonly Batch[]
  readonly hasMore: boolean
  readonly onEndNear: () => void
  readonly onOpen: (batch: Batch) => void
  readonly onCancel: (batch: Batch) => void
}

export function BatchTable({ batches, hasMore, onEndNear, onOpen, onCancel }: BatchTableProps) {
  const actions = menuColumn<Batch>((batch) => <Actions batch={batch} onOpen={onOpen} onCancel={onCancel} />)
  return (
    <DataTable
      label="Batches"
      columns={[...columns, actions]}
      rows={batches}
      rowId={({ id }) => id}
      rowName={batchName}
      onOpen={onOpen}
      hasMore={hasMore}
      onEndNear={onEndNear}
    />
  )
}

const columns: readonly Column<Batch>[] = [
  {
    id: 'name',
    header: 'Batch',
    min: 200,
    narrow: 110,
    grow: 2,
    sortBy: batchName,
    cell: (batch) => <CellName name={batchName(batch)} detail={batch.endpoint} title={batch.id} />,
  },
  {
    id: 'status',
    header: 'Status',
    min: 112,
    sortBy: ({ status }) => status,
    cell: (batch) => <Status batch={batch} />,
  },
  { id: 'progress', header: 'Done', min: 170, grow: 1, priority: 1, cell: (batch) => <Done batch={batch} /> },
  {
    id: 'failed',
    header: 'Failed',
    min: 84,
    align: 'end',
    priority: 2,
    sortBy: ({ request_counts: { failed } }) => failed,
    cell: ({ request_counts: { failed } }) => wholeText(failed),
  },
  {
    id: 'pace',
    header: 'Pace',
    min: 110,
    align: 'end',
    priority: 4,
    cell: (batch) => paceText(linesPerSecond(batch, Date.now())),
  },
  { id: 'end', header: 'Expected end', min: 130, priority: 3, cell: (batch) => <End batch={batch} /> },
  {
    id: 'cost',
    header: 'Cost',
    min: 100,
    align: 'end',
    priority: 5,
    sortBy: ({ cost }) => cost ?? 0,
    cell: ({ cost, currency }) => (cost === null ? '–' : moneyText(cost, currency)),
  },
  {
    id: 'created',
    header: 'Created',
    min: 128,
    priority: 6,
    sortBy: ({ created_at: at }) => at,
    cell: ({ created_at: at }) => <RelativeTime at={rfc3339(at)} />,
  },
]

const tones: Readonly<Record<Batch['status'], BadgeTone>> = {
  validating: 'accent',
  in_progress: 'accent',
  finalizing: 'accent',
  completed: 'success',
  failed: 'danger',
  expired: 'warning',
  cancelling: 'neutral',
  cancelled: 'neutral',
}

/** A batch that is done although lines failed is not all well. */
export function Status({ batch: { status, warning, request_counts: counts } }: { readonly batch: Batch }) {
  const isPartly = status === 'completed' && counts.failed > 0
  const tone = isPartly || warning !== null ? 'warning' : tones[status]
  return <Badge tone={tone}>{status.replace('_', ' ')}</Badge>
}

function Done({ batch }: { readonly batch: Batch }) {
  const share = doneShare(batch)
  const label = share === null ? doneText(batch) : `${doneText(batch)}, ${percentText(share)}`
  return (
    <span className={styles.done}>
      <span>{doneText(batch)}</span>
      {isOpen(batch) && <Progress label={label} value={share} />}
    </span>
  )
}

function End({ batch }: { readonly batch: Batch }) {
  if (!isOpen(batch)) return <span>–</span>
  const text = untilText(batch.estimated_completion_at, Date.now())
  return <span title={batch.warning ?? undefined}>{text ?? 'not known yet'}</span>
}

interface ActionsProps extends Pick<BatchTableProps, 'onOpen' | 'onCancel'> {
  readonly batch: Batch
}

function Actions({ batch, onOpen, onCancel }: ActionsProps) {
  const { output_file_id: output, error_file_id: errors, status } = batch
  return (
    <RowMenu name={batchName(batch)}>
      <MenuItem onSelect={() => onOpen(batch)}>Details…</MenuItem>
      {output !== null && <MenuItem onSelect={() => download(output, batch, 'output')}>Download output</MenuItem>}
      {errors !== null && <MenuItem onSelect={() => download(errors, batch, 'errors')}>Download errors</MenuItem>}
      {isOpen(batch) && status !== 'cancelling' && <MenuItem onSelect={() => onCancel(batch)}>Cancel…</MenuItem>}
    </RowMenu>
  )
}

/** The name of a file that is saved: that of the batch, as a file system takes it. */
export function savedName(batch: Batch, kind: 'output' | 'errors'): string {
  const name = batchName(batch).replace(/\.[^.]*$/, '')
  return `${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '_')}.${kind}.jsonl`
}

function download(fileId: string, batch: Batch, kind: 'output' | 'errors'): void {
  const link = document.createElement('a')
  link.href = contentPath(fileId)
  link.download = savedName(batch, kind)
  link.click()
}
