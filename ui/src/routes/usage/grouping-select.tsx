/** Chooses what usage is grouped by. */
import { Select } from '../../components/input.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import type { Grouping } from './queries.ts'

const choices = [
  ['model', 'By model'],
  ['user', 'By user'],
  ['key', 'By API key'],
  ['group', 'By group'],
] as const

/** The grouping of an address: users and groups are for administrators. */
export function groupingFor(asked: Grouping | undefined, isAdmin: boolean): Grouping {
  return asked === undefined || (isForAdmins(asked) && !isAdmin) ? 'model' : asked
}

function isForAdmins(by: Grouping): boolean {
  return by === 'user' || by === 'group'
}

export interface GroupingSelectProps {
  readonly by: Grouping
  readonly onChange: (by: Grouping | undefined) => void
}

export function GroupingSelect({ by, onChange }: GroupingSelectProps) {
  const isAdmin = useIsAdmin()
  return (
    <Select
      aria-label="Group by"
      value={by}
      onChange={({ target }) => {
        const chosen = choices.find(([value]) => value === target.value)?.[0]
        onChange(chosen === 'model' ? undefined : chosen)
      }}
    >
      {choices
        .filter(([value]) => isAdmin || !isForAdmins(value))
        .map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
    </Select>
  )
}
