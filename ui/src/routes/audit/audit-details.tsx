/** One row of the audit log: who, from where, and what was different after it. */
import type { AuditRow } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { CopiedFact, Fact, Facts } from '../../components/facts.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { fieldLabels, valueText } from '../../shell/changed-fields.ts'
import { useNamesOf } from '../../shell/changed-record.tsx'
import styles from '../../shell/changed-record.module.css'
import { actionText, wayText } from './audit-words.ts'
import { changedFields, type ChangedField } from './changed-fields-of.ts'

export interface AuditDetailsProps {
  readonly row: AuditRow
  /** Shows all rows of a record. */
  readonly onRecord: (record: string) => void
  readonly onClose: () => void
}

export function AuditDetails({ row, onRecord, onClose }: AuditDetailsProps) {
  const changes = changedFields(row.details)
  return (
    <Dialog
      open
      size="large"
      onClose={onClose}
      title={actionText(row)}
      actions={
        <>
          {row.record !== '' && <Button onClick={() => onRecord(row.record)}>All of this record</Button>}
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      <Facts>
        <Fact name="Who">{row.actor || '–'}</Fact>
        <Fact name="By">{wayText(row)}</Fact>
        <Fact name="From">{row.address || '–'}</Fact>
        <Fact name="When">
          <RelativeTime at={row.at} />
        </Fact>
        <Fact name="Outcome">{outcomeText(row)}</Fact>
        {row.record !== '' && (
          <Fact name="Record">
            <CopiedFact text={row.record} what="record" />
          </Fact>
        )}
        {row.request_id !== '' && (
          <Fact name="Request">
            <CopiedFact text={row.request_id} what="request id" />
          </Fact>
        )}
        <Fact name="Row">{row.seq}</Fact>
      </Facts>
      {changes.length > 0 && <Changes changes={changes} />}
    </Dialog>
  )
}

function Changes({ changes }: { readonly changes: readonly ChangedField[] }) {
  const names = useNamesOf(changes)
  return (
    <div className={styles.scroll}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ field, before, after }) => (
            <tr key={field}>
              <th scope="row">{fieldLabels[field] ?? field.replaceAll('_', ' ')}</th>
              <td>{valueText(field, before, names)}</td>
              <td>{valueText(field, after, names)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function outcomeText({ outcome, details }: AuditRow): string {
  if (outcome === 'begun') return 'Begun; what became of it is not known here'
  const { code } = details
  return typeof code === 'string' ? `${outcome}: ${code}` : outcome
}
