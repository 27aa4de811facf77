/** The panel of uploads with their progress and results. */
import { Link } from '@tanstack/react-router'
import { useMemo, type ReactNode } from 'react'
import { Badge } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { ByteSize } from '../../../components/byte-size.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Panel } from '../../../components/panel.tsx'
import { Progress } from '../../../components/progress.tsx'
import { VirtualList } from '../../../components/virtual-list.tsx'
import { isOpen, type Upload, type UploadQueue } from './upload-queue.ts'
import styles from './upload-panel.module.css'

export function UploadPanel({ queue, uploads }: { readonly queue: UploadQueue; readonly uploads: readonly Upload[] }) {
  // Uploads that need attention come first.
  const shown = useMemo(() => [...uploads].sort((a, b) => rank(a) - rank(b)), [uploads])
  const open = uploads.filter(isOpen).length
  if (uploads.length === 0) return null
  return (
    <div className={styles.panel}>
      <Panel
        title={open > 0 ? `Uploading: ${uploads.length - open} of ${uploads.length} done` : 'Uploaded files'}
        actions={
          open > 0 ? (
            <Button onClick={() => queue.cancelAll()}>Cancel all</Button>
          ) : (
            <Button onClick={() => queue.dismiss()}>Dismiss</Button>
          )
        }
      >
        {open > 0 && <Progress label="Upload" value={shareOf(uploads)} />}
        <p className={styles.summary} role="status">
          {summaryOf(uploads)}
        </p>
        <VirtualList
          label="Uploads"
          size="small"
          count={shown.length}
          estimateHeight={40}
          item={(index) => {
            const upload = shown[index]
            return upload === undefined ? null : <UploadRow upload={upload} queue={queue} />
          }}
        />
      </Panel>
    </div>
  )
}

function UploadRow({ upload, queue }: { readonly upload: Upload; readonly queue: UploadQueue }) {
  const { id, name, bytes, state } = upload
  const canSendAgain = state.kind === 'failed' || state.kind === 'cancelled'
  return (
    <div className={styles.row}>
      <div className={styles.words}>
        <span className={styles.name}>{name}</span>
        <Outcome upload={upload} />
      </div>
      <span className={styles.size}>
        <ByteSize bytes={bytes} />
      </span>
      {isOpen(upload) && (
        <Button variant="quiet" icon aria-label={`Cancel ${name}`} title="Cancel" onClick={() => queue.cancel(id)}>
          <Icon name="close" />
        </Button>
      )}
      {canSendAgain && (
        <Button
          variant="quiet"
          icon
          aria-label={`Send ${name} again`}
          title="Send again"
          onClick={() => queue.retry(id)}
        >
          <Icon name="retry" />
        </Button>
      )}
    </div>
  )
}

function Outcome({ upload: { name, state } }: { readonly upload: Upload }): ReactNode {
  switch (state.kind) {
    case 'waiting':
      return <span className={styles.note}>waiting</span>
    case 'sending':
      return <Progress label={`Upload of ${name}`} value={state.sent < 1 ? state.sent : null} />
    case 'accepted':
      return (
        <span className={styles.note}>
          <Badge tone="success">accepted</Badge>
        </span>
      )
    case 'duplicate':
      return (
        <span className={styles.note}>
          <Badge tone="warning">duplicate</Badge> This file already exists in the category, for the same owners:{' '}
          <Link to="/documents/$id" params={{ id: state.documentId }}>
            open the document
          </Link>
        </span>
      )
    case 'invalid':
      return (
        <span className={styles.note}>
          <Badge tone="danger">invalid</Badge> {state.message}
        </span>
      )
    case 'failed':
      return (
        <span className={styles.note}>
          <Badge tone="danger">failed</Badge> {state.error.message}
          {state.error.requestId !== null && (
            <>
              {' '}
              Request id <code>{state.error.requestId}</code>
            </>
          )}
        </span>
      )
    case 'cancelled':
      return (
        <span className={styles.note}>
          <Badge>cancelled</Badge>
        </span>
      )
  }
}

const order = ['sending', 'failed', 'invalid', 'duplicate', 'waiting', 'cancelled', 'accepted'] as const

function rank({ state }: Upload): number {
  return order.indexOf(state.kind)
}

/** The progress by bytes, so that large files count more than small ones. */
function shareOf(uploads: readonly Upload[]): number {
  const total = uploads.reduce((sum, { bytes }) => sum + bytes, 0)
  const sent = uploads.reduce((sum, upload) => sum + upload.bytes * sentOf(upload), 0)
  return total === 0 ? 1 : sent / total
}

function sentOf(upload: Upload): number {
  if (upload.state.kind === 'sending') return upload.state.sent
  return isOpen(upload) ? 0 : 1
}

function summaryOf(uploads: readonly Upload[]): string {
  const counted = order.map((kind) => [kind, uploads.filter(({ state }) => state.kind === kind).length] as const)
  return counted
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ')
}
