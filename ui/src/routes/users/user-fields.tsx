/** The fields of a user. */
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { allGroupsQuery } from '../../api/queries.ts'
import type { User } from '../../api/schema.d.ts'
import { CheckList } from '../../components/check-list.tsx'
import { Field, FieldGroup } from '../../components/field.tsx'
import { Select } from '../../components/input.tsx'
import { Notice } from '../../components/notice.tsx'
import { TextField } from '../../components/text-field.tsx'
import { isOrdinary } from '../groups/queries.ts'
import styles from './user-fields.module.css'

export interface UserDraft {
  readonly email: string
  readonly name: string
  readonly role: User['role']
  readonly kind: User['kind']
  readonly groups: ReadonlySet<string>
}

export interface UserFieldsProps {
  readonly draft: UserDraft
  readonly onChange: (draft: UserDraft) => void
  /** The configuration file declares the user: only the groups can be changed. */
  readonly declared?: boolean
}

export function UserFields({ draft, onChange, declared = false }: UserFieldsProps) {
  const { data: groups } = useQuery(allGroupsQuery)
  return (
    <>
      {declared && (
        <Notice tone="neutral">
          The configuration file declares this user. Change the kind, address, name and role there.
        </Notice>
      )}
      <TextField
        type="email"
        label="E-mail address"
        hint={draft.kind === 'service' ? 'Its name, such as nightly@research. Nothing is sent to it.' : undefined}
        param="email"
        required
        maxLength={254}
        disabled={declared}
        value={draft.email}
        onChange={(email) => onChange({ ...draft, email })}
      />
      <div className={styles.pair}>
        <TextField
          label="Name (optional)"
          param="name"
          maxLength={200}
          disabled={declared}
          value={draft.name}
          onChange={(name) => onChange({ ...draft, name })}
        />
        <Field label="Role" param="role">
          <Select
            disabled={declared}
            value={draft.role}
            onChange={(event) => onChange({ ...draft, role: event.target.value === 'admin' ? 'admin' : 'user' })}
          >
            <option value="user">User</option>
            <option value="admin">Administrator</option>
          </Select>
        </Field>
      </div>
      <Field
        label="Kind"
        param="kind"
        hint={draft.kind === 'service' ? 'Has API keys and never signs in. It goes on when people leave.' : undefined}
      >
        <Select
          disabled={declared}
          value={draft.kind}
          onChange={(event) => onChange({ ...draft, kind: event.target.value === 'service' ? 'service' : 'person' })}
        >
          <option value="person">Person</option>
          <option value="service">Service account, for a program</option>
        </Select>
      </Field>
      <FieldGroup label="Groups" hint="Every user is in “everyone”. A user can use the models of all their groups.">
        <CheckList
          label="Groups"
          options={(groups ?? []).filter(isOrdinary).map(({ id, name, description }) => ({
            value: id,
            label: name,
            ...(description !== '' && { note: description }),
          }))}
          chosen={draft.groups}
          onChange={(chosen) => onChange({ ...draft, groups: chosen })}
        />
      </FieldGroup>
    </>
  )
}

/** Changes the groups of a user from `before` to `after`. */
export async function changeGroups(id: string, before: Iterable<string>, after: ReadonlySet<string>): Promise<void> {
  const old = new Set(before)
  for (const groupId of after) {
    if (!old.has(groupId)) await api('PUT /admin/api/v1/users/{id}/groups/{groupId}', { params: { id, groupId } })
  }
  for (const groupId of old) {
    if (!after.has(groupId)) await api('DELETE /admin/api/v1/users/{id}/groups/{groupId}', { params: { id, groupId } })
  }
}
