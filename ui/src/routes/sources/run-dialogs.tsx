/** What the last run of a source did, and what the next one would do. */
import { useQuery } from '@tanstack/react-query'
import { asApiError } from '../../api/api-error.ts'
import type { Source } from '../../api/schema.d.ts'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { wholeText } from '../../components/format.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { dryRunQuery } from './queries.ts'
import { countsText, kindNames } from './source-table.tsx'

export interface RunDialogProps {
  readonly source: Source
  readonly onClose: () => void
}

export function LastRun({ source, onClose }: RunDialogProps) {
  const { name, url, kind, category, last_run: last, running_since: since, next_run_at: next, enabled } = source
  return (
    <Dialog open size="large" onClose={onClose} title={name} description={url}>
      <Facts>
        <Fact name="Kind">{kindNames[kind]}</Fact>
        <Fact name="Category">{category}</Fact>
        {since !== null && (
          <Fact name="Running since">
            <RelativeTime at={since} />
          </Fact>
        )}
        <Fact name="Next run">{enabled ? <RelativeTime at={next} /> : 'Paused'}</Fact>
        {last !== null && (
          <>
            <Fact name="Last run">{last.outcome}</Fact>
            <Fact name="Ended">
              <RelativeTime at={last.ended_at} />
            </Fact>
            <Fact name="Files">{countsText(last)}</Fact>
          </>
        )}
      </Facts>
      {last === null && (
        <EmptyState icon="list" title="No run yet">
          The first run begins as soon as the server has time for it.
        </EmptyState>
      )}
      {last !== null && last.errors.length > 0 && (
        <DataTable
          label="Errors"
          columns={errorColumns}
          rows={last.errors}
          rowId={(error) => error}
          rowName={(error) => error}
        />
      )}
    </Dialog>
  )
}

const errorColumns: readonly Column<string>[] = [
  { id: 'error', header: 'The first errors', min: 240, grow: 1, cell: (error) => <span title={error}>{error}</span> },
]

type Change = { readonly change: string; readonly file: string }

const changeColumns: readonly Column<Change>[] = [
  { id: 'change', header: 'Change', min: 96, cell: ({ change }) => change },
  { id: 'file', header: 'File', min: 160, grow: 1, cell: ({ file }) => <span title={file}>{file}</span> },
]

export function DryRun({ source, onClose }: RunDialogProps) {
  const { data, error, isPending, refetch } = useQuery(dryRunQuery(source.id))
  const shown = data?.data.length ?? 0
  return (
    <Dialog
      open
      size="large"
      onClose={onClose}
      title={`Dry run of ${source.name}`}
      description="What a run would do now. Nothing is changed."
    >
      {error !== null && <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />}
      {isPending && <Skeleton lines={4} label="Looking at the source" />}
      {data?.total === 0 && (
        <EmptyState icon="check" title="Nothing to do">
          The documents are in step with the source.
        </EmptyState>
      )}
      {data !== undefined && shown > 0 && (
        <>
          <p>
            {wholeText(data.total)} to do{data.total > shown && `, of which the first ${wholeText(shown)} are shown`}
          </p>
          <DataTable
            label="Changes"
            columns={changeColumns}
            rows={data.data}
            rowId={({ change, file }) => `${change} ${file}`}
            rowName={({ file }) => file}
          />
        </>
      )}
    </Dialog>
  )
}
