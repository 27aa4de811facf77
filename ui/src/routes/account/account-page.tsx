/** The own account: who one is here, the password, and the sessions. */
import { Badge } from '../../components/badge.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { useSession } from '../../shell/use-session.ts'
import styles from './account-page.module.css'
import { ChangePassword } from './change-password.tsx'
import { SignOutEverywhere } from './sign-out-everywhere.tsx'

export function AccountPage() {
  const { user, groups } = useSession()
  return (
    <>
      <PageHeader title="Your account" description="Programs use API keys, which have a page of their own." />
      <div className={styles.panels}>
        <Panel title="You">
          <dl className={styles.facts}>
            <dt>E-mail address</dt>
            <dd>{user.email}</dd>
            {user.name !== '' && (
              <>
                <dt>Name</dt>
                <dd>{user.name}</dd>
              </>
            )}
            <dt>Role</dt>
            <dd>{user.role === 'admin' ? 'Administrator' : 'User'}</dd>
            <dt>Groups</dt>
            <dd className={styles.groups}>
              {groups.map(({ id, name }) => (
                <Badge key={id}>{name}</Badge>
              ))}
            </dd>
          </dl>
        </Panel>
        {user.has_password && <ChangePassword />}
        <SignOutEverywhere />
      </div>
    </>
  )
}
