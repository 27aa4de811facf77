/** The table of requests. */
import { useMemo } from 'react'
import type { RequestRecord } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { durationText } from '../../components/format.ts'
import { CellName } from '../../components/row-name.tsx'
import { RecordName } from '../record-name.tsx'
import { dateText, timeText } from './time-text.ts'
import styles from './request-table.module.css'

/** A request with the name of its row. Request ids come from clients and may occur twice. */
export interface ListedRequest extends RequestRecord {
  readonly place: string
}

export interface RequestTableProps {
  readonly requests: readonly ListedRequest[]
  readonly withUser: boolean
  readonly hasMore: boolean
  readonly onEndNear: () => void
  readonly onOpen: (request: ListedRequest) => void
}

export function RequestTable({ requests, withUser, hasMore, onEndNear, onOpen }: RequestTableProps) {
  const columns = useMemo<readonly Column<ListedRequest>[]>(() => {
    return [timeColumn(onOpen), ...firstColumns, ...(withUser ? [userColumn] : []), ...lastColumns]
  }, [withUser, onOpen])
  return (
    <DataTable
      label="Requests"
      columns={columns}
      rows={requests}
      rowId={rowId}
      rowName={rowName}
      hasMore={hasMore}
      onEndNear={onEndNear}
      onOpen={onOpen}
    />
  )
}

const rowId = ({ place }: ListedRequest): string => place
const rowName = ({ request_id: id }: ListedRequest): string => `request ${id}`

function timeColumn(onOpen: (request: ListedRequest) => void): Column<ListedRequest> {
  return {
    id: 'time',
    header: 'Time',
    min: 150,
    narrow: 84,
    sortBy: ({ at }) => at,
    cell: (request) => (
      <button
        type="button"
        tabIndex={-1}
        className={styles.open}
        title="Show the details of this request"
        onClick={() => onOpen(request)}
      >
        <span className={styles.date}>{dateText(request.at)}</span> {timeText(request.at)}
      </button>
    ),
  }
}

const firstColumns: readonly Column<ListedRequest>[] = [
  {
    id: 'status',
    header: 'Status',
    min: 76,
    narrow: 64,
    sortBy: ({ status }) => status,
    cell: ({ status, code }) => (
      <span title={code ?? 'answered'}>
        <Badge tone={status >= 500 ? 'danger' : status >= 400 ? 'warning' : 'success'}>{status}</Badge>
      </span>
    ),
  },
  {
    id: 'model',
    header: 'Model',
    min: 180,
    narrow: 104,
    grow: 1,
    sortBy: ({ model, model_asked: asked }) => model ?? asked,
    cell: ({ model, model_asked: asked, provider, attempts }) => (
      <span className={styles.target}>
        <CellName
          name={model ?? asked ?? '–'}
          title={asked !== null && asked !== model ? `asked for as ${asked}` : undefined}
          detail={
            provider !== null && (
              <>
                {attempts > 1 && (
                  <span title={`${attempts} attempts`} className={styles.attempts}>
                    {attempts}×{' '}
                  </span>
                )}
                {provider}
              </>
            )
          }
        />
      </span>
    ),
  },
]

const userColumn: Column<ListedRequest> = {
  id: 'user',
  header: 'User',
  min: 180,
  grow: 1,
  priority: 1,
  cell: ({ user_id: id }) => <RecordName kind="user" scope="everyone" id={id} />,
}

const lastColumns: readonly Column<ListedRequest>[] = [
  {
    id: 'endpoint',
    header: 'Endpoint',
    min: 152,
    priority: 4,
    sortBy: ({ endpoint }) => endpoint,
    cell: ({ endpoint }) => endpoint,
  },
  {
    id: 'tokens',
    header: 'Tokens',
    min: 124,
    align: 'end',
    priority: 2,
    sortBy: ({ prompt_tokens: into, completion_tokens: out }) =>
      into === null && out === null ? null : (into ?? 0) + (out ?? 0),
    cell: ({ prompt_tokens: into, completion_tokens: out }) =>
      into === null && out === null ? '–' : `${into ?? '?'} → ${out ?? '?'}`,
  },
  {
    id: 'first',
    header: 'First token',
    min: 98,
    align: 'end',
    priority: 3,
    sortBy: ({ first_token_ms: ms }) => ms,
    cell: ({ first_token_ms: ms }) => (ms === null ? '–' : durationText(ms)),
  },
  {
    id: 'duration',
    header: 'Duration',
    min: 92,
    narrow: 74,
    sortBy: ({ duration_ms: ms }) => ms,
    align: 'end',
    cell: ({ duration_ms: ms }) => durationText(ms),
  },
]
