/** One batch: how far it is, what it costs, why lines failed, and its files. */
import { Button, buttonClass } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { CopiedFact, Fact, Facts } from '../../components/facts.tsx'
import { countText, percentText, wholeText } from '../../components/format.ts'
import { Icon } from '../../components/icon.tsx'
import { moneyText } from '../../components/money.ts'
import { Notice } from '../../components/notice.tsx'
import { Progress } from '../../components/progress.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { batchName, doneShare, doneText, linesPerSecond, paceText, rfc3339, untilText } from './batch-figures.ts'
import { savedName, Status } from './batch-table.tsx'
import styles from './batches.module.css'
import { contentPath, isOpen, type Batch } from './queries.ts'

export interface BatchDetailsProps {
  readonly batch: Batch
  readonly onClose: () => void
  readonly onCancel: (batch: Batch) => void
}

export function BatchDetails({ batch, onClose, onCancel }: BatchDetailsProps) {
  const share = doneShare(batch)
  return (
    <Dialog
      open
      placement="side"
      onClose={onClose}
      title={batchName(batch)}
      description={batch.endpoint}
      actions={
        <>
          {isOpen(batch) && batch.status !== 'cancelling' && (
            <Button variant="danger" onClick={() => onCancel(batch)}>
              Cancel batch
            </Button>
          )}
          <Saved batch={batch} kind="errors" />
          <Saved batch={batch} kind="output" />
        </>
      }
    >
      <div className={styles.details}>
        {batch.warning !== null && <Notice tone="warning">{batch.warning}</Notice>}
        {isOpen(batch) && <Progress label="Lines with a result" value={share} />}
        <Figures batch={batch} share={share} />
        <Faults batch={batch} />
        <Failures batch={batch} />
      </div>
    </Dialog>
  )
}

function Figures({ batch, share }: { readonly batch: Batch; readonly share: number | null }) {
  const now = Date.now()
  const end = untilText(batch.estimated_completion_at, now)
  const { expires_at: expiresAt, cost, currency, request_counts: counts } = batch
  return (
    <Facts>
      <Fact name="Status">
        <Status batch={batch} />
      </Fact>
      <Fact name="Done">
        {doneText(batch)}
        {share !== null && ` (${percentText(share)})`}
      </Fact>
      <Fact name="Failed">{wholeText(counts.failed)}</Fact>
      <Fact name="Pace">{paceText(linesPerSecond(batch, now))}</Fact>
      {isOpen(batch) && <Fact name="Expected end">{end ?? 'Not known before the first line is done'}</Fact>}
      {isOpen(batch) && expiresAt !== null && (
        <Fact name="Window ends">
          <RelativeTime at={rfc3339(expiresAt)} />
        </Fact>
      )}
      <Fact name="Cost">{cost === null ? noCost(batch) : moneyText(cost, currency)}</Fact>
      <Fact name="Created">
        <RelativeTime at={rfc3339(batch.created_at)} />
      </Fact>
      <Fact name="Id">
        <CopiedFact text={batch.id} what="batch id" />
      </Fact>
    </Facts>
  )
}

function noCost({ request_counts: { completed } }: Batch): string {
  return completed === 0 ? '–' : 'No price is known for its models'
}

/** What validation has found; the batch has not begun. */
function Faults({ batch: { errors } }: { readonly batch: Batch }) {
  if (errors === null) return null
  return (
    <section className={styles.reasons}>
      <h3>Faults of the file</h3>
      <ul>
        {errors.data.map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            {line !== null && <strong>Line {line}: </strong>}
            {message}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Failures({ batch: { failures } }: { readonly batch: Batch }) {
  if (failures.length === 0) return null
  return (
    <section className={styles.reasons}>
      <h3>Failures by reason</h3>
      <ul>
        {failures.map(({ code, count }) => (
          <li key={code}>
            <code>{code}</code> {countText(count, 'line')}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** A link to a file; a running batch has written a part of it. */
function Saved({ batch, kind }: { readonly batch: Batch; readonly kind: 'output' | 'errors' }) {
  const fileId = kind === 'output' ? batch.output_file_id : batch.error_file_id
  if (fileId === null) return null
  return (
    <a
      className={buttonClass(kind === 'output' ? 'primary' : 'secondary')}
      href={contentPath(fileId)}
      download={savedName(batch, kind)}
    >
      <Icon name="download" />
      {kind === 'output' ? 'Output' : 'Errors'}
    </a>
  )
}
