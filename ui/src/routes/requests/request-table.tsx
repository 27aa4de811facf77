/** The table of requests. */
import { useMemo } from 'react'
import type { RequestRecord } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { durationText } from '../../components/format.ts'
import { RecordName } from '../record-name.tsx'
import { dateText, timeText } from './time-text.ts'
import styles from './request-table.module.css'

/** A request with its position in the list. Request ids come from clients and may occur twice. */
export interface ListedRequest extends RequestRecord {
  readonly place: number
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

const rowId = ({ place }: ListedRequest): string => String(place)
const rowName = ({ request_id: id }: ListedRequest): string => `request ${id}`

function timeColumn(onOpen: (request: ListedRequest) => void): Column<ListedRequest> {
  return {
    id: 'time',
    header: 'Time',
    width: 'clamp(84px, 26cqi, 148px)',
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
    width: 'clamp(60px, 18cqi, 72px)',
    cell: ({ status, code }) => (
      <span title={code ?? 'answered'}>
        <Badge tone={status >= 500 ? 'danger' : status >= 400 ? 'warning' : 'success'}>{status}</Badge>
      </span>
    ),
  },
  {
    id: 'model',
    header: 'Model',
    cell: ({ model, model_asked: asked, provider, attempts }) => (
      <span title={asked !== null && asked !== model ? `asked for as ${asked}` : undefined} className={styles.target}>
        <span className={styles.model}>{model ?? asked ?? '–'}</span>
        {provider !== null && (
          <span className={styles.provider}>
            {attempts > 1 && (
              <span title={`${attempts} attempts`} className={styles.attempts}>
                {attempts}×{' '}
              </span>
            )}
            {provider}
          </span>
        )}
      </span>
    ),
  },
]

const userColumn: Column<ListedRequest> = {
  id: 'user',
  header: 'User',
  hideBelow: 'small',
  cell: ({ user_id: id }) => <RecordName kind="user" scope="everyone" id={id} />,
}

const lastColumns: readonly Column<ListedRequest>[] = [
  { id: 'endpoint', header: 'Endpoint', width: '146px', hideBelow: 'medium', cell: ({ endpoint }) => endpoint },
  {
    id: 'tokens',
    header: 'Tokens',
    width: '124px',
    align: 'end',
    hideBelow: 'small',
    cell: ({ prompt_tokens: into, completion_tokens: out }) =>
      into === null && out === null ? '–' : `${into ?? '?'} → ${out ?? '?'}`,
  },
  {
    id: 'first',
    header: 'First token',
    width: '98px',
    align: 'end',
    hideBelow: 'medium',
    cell: ({ first_token_ms: ms }) => (ms === null ? '–' : durationText(ms)),
  },
  {
    id: 'duration',
    header: 'Duration',
    width: 'clamp(68px, 20cqi, 84px)',
    align: 'end',
    cell: ({ duration_ms: ms }) => durationText(ms),
  },
]
