/** The names of models, users, keys and groups in tables and charts of usage. */
import { useNames } from '../../api/names.ts'
import type { UsageScope } from '../../api/queries.ts'
import { CellName } from '../../components/row-name.tsx'
import { RecordName } from '../record-name.tsx'
import { unknownModel, type Grouping } from './queries.ts'
import styles from './group-table.module.css'

export const groupHeadings = { model: 'Model', user: 'User', key: 'API key', group: 'Group' } as const

export interface GroupNameProps {
  readonly by: Grouping
  readonly scope: UsageScope
  readonly group: string | null
}

export function GroupName({ by, scope, group }: GroupNameProps) {
  if (by === 'model') return <CellName name={group ?? unknownModel} />
  return <RecordName kind={by} scope={scope} id={group} />
}

/** The name as a button that shows the group's requests, where a list of them can be narrowed to it. */
export function OpenGroup({ onOpen, ...name }: GroupNameProps & { readonly onOpen: (group: string) => void }) {
  const { by, group } = name
  if (group === null || by === 'group')
    return (
      <span className={group === null ? styles.unknown : undefined}>
        <GroupName {...name} />
      </span>
    )
  return (
    <button type="button" className={styles.name} title="Show its requests" onClick={() => onOpen(group)}>
      <GroupName {...name} />
    </button>
  )
}

/** The names of these groups. */
export function useGroupNames(
  { by, scope }: Omit<GroupNameProps, 'group'>,
  groups: readonly (string | null)[],
): readonly string[] {
  const names = useNames({ kind: by === 'model' ? 'user' : by, scope }, by === 'model' ? [] : groups)
  return by === 'model' ? groups.map((group) => group ?? unknownModel) : names
}
