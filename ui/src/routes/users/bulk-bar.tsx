/** What can be done with the selected users: their groups, their state, and a file of them. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type BodyOf } from '../../api/client.ts'
import { allGroupsQuery } from '../../api/queries.ts'
import type { User } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { countText } from '../../components/format.ts'
import { Icon } from '../../components/icon.tsx'
import { Select } from '../../components/input.tsx'
import { Menu, MenuItem } from '../../components/menu.tsx'
import { toast } from '../../components/toast.tsx'
import { isOrdinary } from '../groups/queries.ts'
import { refreshUsers } from './queries.ts'

type Action = BodyOf<'POST /admin/api/v1/users/bulk'>['action']

export interface BulkBarProps {
  readonly users: readonly User[]
  readonly onDone: () => void
}

const texts = {
  enable: { verb: 'Enable', done: 'Enabled', consequence: 'They can sign in and use their API keys again.' },
  disable: {
    verb: 'Disable',
    done: 'Disabled',
    consequence: 'Sign-in, all sessions and all API keys of these users are refused until you enable them again.',
  },
  delete: {
    verb: 'Delete',
    done: 'Deleted',
    consequence: 'Their API keys and sessions are deleted, too. Usage records are kept. This cannot be undone.',
  },
  join: { verb: 'Add', done: 'Added', consequence: '' },
  leave: { verb: 'Remove', done: 'Removed', consequence: '' },
} as const satisfies Record<Action, object>

/** The maximum number of users of one request. */
const usersPerRequestMax = 1000

export function BulkBar({ users, onDone }: BulkBarProps) {
  const [asked, setAsked] = useState<Action | null>(null)
  const change = useBulkChange(users, onDone)
  if (users.length === 0) return null
  const what = countText(users.length, 'user')
  const close = (): void => setAsked(null)
  return (
    <>
      <Menu
        trigger={
          <Button>
            {what}
            <Icon name="chevron" />
          </Button>
        }
      >
        <MenuItem onSelect={() => setAsked('join')}>Add to a group…</MenuItem>
        <MenuItem onSelect={() => setAsked('leave')}>Remove from a group…</MenuItem>
        <MenuItem onSelect={() => setAsked('enable')}>Enable…</MenuItem>
        <MenuItem onSelect={() => setAsked('disable')}>Disable…</MenuItem>
        <MenuItem danger onSelect={() => setAsked('delete')}>
          Delete…
        </MenuItem>
      </Menu>
      {(asked === 'join' || asked === 'leave') && (
        <GroupChoice action={asked} what={what} onClose={close} onChoose={(group) => change(asked, group)} />
      )}
      {asked !== null && asked !== 'join' && asked !== 'leave' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`${texts[asked].verb} ${what}?`}
          consequence={texts[asked].consequence}
          names={users.map(({ email }) => email)}
          confirm={`${texts[asked].verb} ${what}`}
          onConfirm={() => change(asked)}
        />
      )}
    </>
  )
}

interface GroupChoiceProps {
  readonly action: 'join' | 'leave'
  readonly what: string
  readonly onClose: () => void
  readonly onChoose: (groupId: string) => Promise<void>
}

function GroupChoice({ action, what, onClose, onChoose }: GroupChoiceProps) {
  const { data: all = [] } = useQuery(allGroupsQuery)
  const groups = all.filter(isOrdinary)
  const [chosen, setChosen] = useState('')
  return (
    <FormDialog
      onClose={onClose}
      title={action === 'join' ? `Add ${what} to a group` : `Remove ${what} from a group`}
      submitLabel={action === 'join' ? 'Add' : 'Remove'}
      disabled={chosen === ''}
      onSubmit={async () => {
        await onChoose(chosen)
        onClose()
      }}
    >
      <Field label="Group" param="group_id">
        <Select value={chosen} onChange={({ target }) => setChosen(target.value)}>
          <option value="">{groups.length === 0 ? 'There are no groups yet' : 'Choose a group…'}</option>
          {groups.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
    </FormDialog>
  )
}

/** Throws with the reason when some were refused; those that could be are changed then, too. */
function useBulkChange(users: readonly User[], onDone: () => void) {
  const queryClient = useQueryClient()
  return async (action: Action, groupId?: string): Promise<void> => {
    const [done, refused]: [string[], { readonly id: string; readonly message: string }[]] = [[], []]
    try {
      for (let first = 0; first < users.length; first += usersPerRequestMax) {
        const ids = users.slice(first, first + usersPerRequestMax).map(({ id }) => id)
        const body = { ids, action, ...(groupId !== undefined && { group_id: groupId }) }
        const result = await api('POST /admin/api/v1/users/bulk', { body })
        done.push(...result.done)
        refused.push(...result.refused)
      }
    } finally {
      await refreshUsers(queryClient)
    }
    const said = `${texts[action].done} ${countText(done.length, 'user')}`
    const [first] = refused
    if (first !== undefined) {
      const email = users.find(({ id }) => id === first.id)?.email ?? first.id
      throw new Error(`${said}, and not ${countText(refused.length, 'user')}. ${email}: ${first.message}`)
    }
    toast(said)
    onDone()
  }
}
