/** Makes links by which people choose their password. The server sends no mail: each link is shown once, to be passed on. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { allGroupsQuery } from '../../api/queries.ts'
import type { User } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { CheckList } from '../../components/check-list.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field, FieldGroup } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { countText } from '../../components/format.ts'
import { Select, Textarea } from '../../components/input.tsx'
import { Notice } from '../../components/notice.tsx'
import { isOrdinary } from '../groups/queries.ts'
import styles from './invite-dialog.module.css'
import { refreshUsers } from './queries.ts'

interface Invited {
  readonly email: string
  /** The whole address; null when it could not be made. */
  readonly link: string | null
  readonly problem: string | null
}

const lifetimes = [
  ['24', 'One day'],
  ['72', '3 days'],
  ['168', 'A week'],
  ['720', '30 days'],
] as const

/** Invites a user who exists. */
export function InviteUserDialog({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const queryClient = useQueryClient()
  const [hours, setHours] = useState('72')
  const [invited, setInvited] = useState<Invited | null>(null)
  if (invited !== null) return <Links invited={[invited]} onClose={onClose} />
  const invite = async (): Promise<void> => {
    const link = await linkFor(user.id, hours)
    await refreshUsers(queryClient)
    setInvited({ email: user.email, link, problem: null })
  }
  return (
    <FormDialog
      onClose={onClose}
      title={`Link for ${user.email}`}
      description={
        user.has_password
          ? 'With the link the user chooses another password. Until then the present one works; then all sessions end.'
          : 'With the link the user chooses a password and is signed in.'
      }
      submitLabel="Make the link"
      onSubmit={invite}
    >
      {user.invited_until !== null && <p>The link of before ends now.</p>}
      <LifetimeField value={hours} onChange={setHours} />
    </FormDialog>
  )
}

/** Creates accounts for several addresses, and a link for each. */
export function InvitePeopleDialog({ onClose }: { readonly onClose: () => void }) {
  const queryClient = useQueryClient()
  const { data: groups = [] } = useQuery(allGroupsQuery)
  const [text, setText] = useState('')
  const [role, setRole] = useState<User['role']>('user')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [hours, setHours] = useState('72')
  const [invited, setInvited] = useState<readonly Invited[] | null>(null)
  const addresses = [...new Set(text.split(/[\s,;]+/).filter((each) => each !== ''))]
  if (invited !== null) return <Links invited={invited} onClose={onClose} />
  async function invite(): Promise<void> {
    const results: Invited[] = []
    for (const email of addresses) results.push(await inviteOne(email, { role, groups: chosen, hours }))
    await refreshUsers(queryClient)
    setInvited(results)
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Invite people"
      description="Each gets an account and a link to choose a password. No mail is sent: pass the links on."
      submitLabel={addresses.length > 1 ? `Invite ${countText(addresses.length, 'person', 'people')}` : 'Invite'}
      disabled={addresses.length === 0}
      onSubmit={invite}
    >
      <Field label="E-mail addresses" hint="With blanks, commas or lines between them.">
        <Textarea rows={3} required autoComplete="off" value={text} onChange={({ target }) => setText(target.value)} />
      </Field>
      <Field label="Role">
        <Select value={role} onChange={({ target }) => setRole(target.value === 'admin' ? 'admin' : 'user')}>
          <option value="user">User</option>
          <option value="admin">Administrator</option>
        </Select>
      </Field>
      <LifetimeField value={hours} onChange={setHours} />
      <FieldGroup label="Groups" hint="Groups decide which models a user can use.">
        <CheckList
          label="Groups"
          options={groups.filter(isOrdinary).map(({ id, name }) => ({ value: id, label: name }))}
          chosen={chosen}
          onChange={setChosen}
        />
      </FieldGroup>
    </FormDialog>
  )
}

function LifetimeField({ value, onChange }: { readonly value: string; readonly onChange: (hours: string) => void }) {
  return (
    <Field label="The link works for" param="hours">
      <Select value={value} onChange={({ target }) => onChange(target.value)}>
        {lifetimes.map(([hours, label]) => (
          <option key={hours} value={hours}>
            {label}
          </option>
        ))}
      </Select>
    </Field>
  )
}

function Links({ invited, onClose }: { readonly invited: readonly Invited[]; readonly onClose: () => void }) {
  const links = invited.filter(({ link }) => link !== null)
  return (
    <Dialog
      open
      persistent
      onClose={onClose}
      size="large"
      title={links.length === 1 ? 'The link' : countText(links.length, 'link')}
      actions={
        <>
          {links.length > 1 && (
            <CopyButton
              text={links.map(({ email, link }) => `${email}\t${link}`).join('\n')}
              what="links"
              variant="secondary"
            >
              Copy all
            </CopyButton>
          )}
          <Button variant="primary" onClick={onClose}>
            I have passed {links.length > 1 ? 'them' : 'it'} on
          </Button>
        </>
      }
    >
      <Notice tone="warning">
        Copy it now: a link is shown once. It works once. Who has it can sign in as this user: pass it on by a way that
        only this person reads.
      </Notice>
      <ul className={styles.links}>
        {invited.map(({ email, link, problem }) => (
          <li key={email} className={styles.item}>
            <strong>{email}</strong>
            {link === null ? (
              <span className={styles.problem}>{problem}</span>
            ) : (
              <span className={styles.link}>
                <code data-testid="invitation">{link}</code>
                <CopyButton text={link} what={`link for ${email}`} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

interface How {
  readonly role: User['role']
  readonly groups: ReadonlySet<string>
  readonly hours: string
}

/** What goes wrong for one does not hold up the others. */
async function inviteOne(email: string, { role, groups, hours }: How): Promise<Invited> {
  try {
    const { id } = await api('POST /admin/api/v1/users', { body: { email, role } })
    for (const groupId of groups)
      await api('PUT /admin/api/v1/users/{id}/groups/{groupId}', { params: { id, groupId } })
    return { email, link: await linkFor(id, hours), problem: null }
  } catch (thrown) {
    return { email, link: null, problem: asApiError(thrown).message }
  }
}

async function linkFor(id: string, hours: string): Promise<string> {
  const body = { hours: Number(hours) }
  const { path } = await api('POST /admin/api/v1/users/{id}/invitation', { params: { id }, body })
  return window.location.origin + path
}
