/** The user's own account: data, password and sessions. */
import { Badge } from '../../components/badge.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
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
      <PageHeader title="Your account" description="Your data, password and sessions. API keys have their own page." />
      <div className={styles.panels}>
        <Panel title="You">
          <Facts>
            <Fact name="E-mail address">{user.email}</Fact>
            {user.name !== '' && <Fact name="Name">{user.name}</Fact>}
            <Fact name="Role">{user.role === 'admin' ? 'Administrator' : 'User'}</Fact>
            <Fact name="Groups">
              <span className={styles.groups}>
                {groups.map(({ id, name }) => (
                  <Badge key={id}>{name}</Badge>
                ))}
              </span>
            </Fact>
          </Facts>
        </Panel>
        {user.has_password && <ChangePassword />}
        <SignOutEverywhere />
      </div>
    </>
  )
}
