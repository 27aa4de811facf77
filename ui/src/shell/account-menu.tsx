/** The account menu: user, theme, sign-out. It loads when its button is pressed, and therefore opens on the first render. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { MenuChoice } from '../components/menu-list.tsx'
import { Menu, MenuItem, MenuText } from '../components/menu.tsx'
import { toast } from '../components/toast.tsx'
import { countKept, forgetKept } from '../routes/playground/chat/kept-place.ts'
import { forgetChat } from '../routes/playground/chat/stored-chat.ts'
import { SignOutDialog, type SignOutChoice } from './sign-out-dialog.tsx'
import { useTheme, type Theme } from './theme.ts'
import { useSession } from './use-session.ts'

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

export function AccountMenu() {
  const { user } = useSession()
  const [theme, setTheme] = useTheme()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  const signOut = useMutation({
    async mutationFn(choice: SignOutChoice) {
      await api('DELETE /admin/api/v1/session', { renew: false })
      forgetChat(user.id)
      if (choice === 'delete') forgetKept(localStorage, user.id)
    },
    async onSuccess() {
      await navigate({ to: '/sign-in' })
      // The next user must not see data of this one.
      queryClient.clear()
    },
    onError: (error) => toast(`Sign-out failed. ${error.message}`),
  })
  function onSignOut(): void {
    const { conversation, preset } = countKept(localStorage, user.id)
    if (conversation + preset > 0) setAsking(true)
    else signOut.mutate('keep')
  }
  const menu = (
    <Menu
      defaultOpen
      trigger={
        <Button variant="quiet" icon aria-label={`Account of ${user.email}`}>
          <Icon name="user" />
        </Button>
      }
    >
      <MenuText>
        {user.name === '' ? user.email : `${user.name}, ${user.email}`}
        {user.role === 'admin' && ' (administrator)'}
      </MenuText>
      <MenuChoice label="Theme" value={theme} options={themes} onChange={setTheme} />
      <MenuItem onSelect={() => void navigate({ to: '/account' })}>Your account</MenuItem>
      <MenuItem onSelect={onSignOut}>Sign out</MenuItem>
    </Menu>
  )
  return (
    <>
      {menu}
      {asking && (
        <SignOutDialog
          kept={countKept(localStorage, user.id)}
          busy={signOut.isPending}
          onChoice={signOut.mutate}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
