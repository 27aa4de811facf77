/** Shows what another person has changed since this one opened a record, and lets this one choose whose change stays. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Choice, Conflict } from '../api/conflict.ts'
import { allGroupsQuery, allModelsQuery, allProvidersQuery } from '../api/queries.ts'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { changesOf, valueText, type FieldChange } from './changed-fields.ts'
import styles from './changed-record.module.css'

export interface ChangedRecordProps {
  readonly conflict: Conflict
  readonly onChoice: (choice: Choice) => void
}

export function ChangedRecord({ conflict, onChoice }: ChangedRecordProps) {
  const queryClient = useQueryClient()
  const isDeletion = conflict.mine === null
  const changes = changesOf(conflict)
  function takeTheirs(): void {
    onChoice('theirs')
    // Lists and forms show what the other person saved.
    void queryClient.invalidateQueries()
  }
  return (
    <Dialog
      open
      size="large"
      onClose={() => onChoice('none')}
      title={isDeletion ? 'It has changed since you opened it' : 'Another change was saved first'}
      description={
        isDeletion
          ? 'Another person, or you in another window, has saved this in the meantime:'
          : 'Another person, or you in another window, has saved this since you opened it. Nothing is lost yet: choose which values stay.'
      }
      actions={
        <>
          <Button onClick={takeTheirs}>{isDeletion ? 'Keep it' : 'Take theirs'}</Button>
          <Button variant={isDeletion ? 'danger' : 'primary'} onClick={() => onChoice('mine')}>
            {isDeletion ? 'Go on' : 'Keep mine'}
          </Button>
        </>
      }
    >
      {changes.length === 0 ? (
        <p>A secret was replaced. Its value is not shown.</p>
      ) : (
        <ChangeTable changes={changes} isDeletion={isDeletion} />
      )}
      {!isDeletion && <p className={styles.note}>What you did not change stays as it is now, whichever you choose.</p>}
    </Dialog>
  )
}

function ChangeTable({
  changes,
  isDeletion,
}: {
  readonly changes: readonly FieldChange[]
  readonly isDeletion: boolean
}) {
  const names = useNamesOf(changes)
  return (
    <div className={styles.scroll}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col" className={styles.before}>
              Before
            </th>
            <th scope="col">Theirs</th>
            {!isDeletion && <th scope="col">Yours</th>}
          </tr>
        </thead>
        <tbody>
          {changes.map(({ field, label, before, theirs, mine }) => (
            <tr key={field}>
              <th scope="row">{label}</th>
              <td className={styles.before}>{valueText(field, before, names)}</td>
              <td>{valueText(field, theirs, names)}</td>
              {!isDeletion && <td>{mine === undefined ? 'not changed' : valueText(field, mine.value, names)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The names of groups, models and providers by id, read as far as the fields refer to them. */
export function useNamesOf(changes: readonly Pick<FieldChange, 'field'>[]): ReadonlyMap<string, string> {
  const has = (...fields: readonly string[]): boolean => changes.some(({ field }) => fields.includes(field))
  const groups = useQuery({ ...allGroupsQuery, enabled: has('groups') })
  const models = useQuery({ ...allModelsQuery, enabled: has('composite', 'rules') })
  const providers = useQuery({ ...allProvidersQuery, enabled: has('provider_id') })
  const named = [...(groups.data ?? []), ...(models.data ?? []), ...(providers.data ?? [])]
  return new Map(named.map(({ id, name }) => [id, name]))
}
