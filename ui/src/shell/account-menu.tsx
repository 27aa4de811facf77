/** The account menu: user, theme, sign-out. It loads when its button is pressed, and therefore opens on the first render. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { MenuChoice } from '../components/menu-list.tsx'
import { Menu, MenuItem, MenuText } from '../components/menu.tsx'
import { toast } from '../components/toast.tsx'
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
  const signOut = useMutation({
    mutationFn: () => api('DELETE /admin/api/v1/session', { renew: false }),
    async onSuccess() {
      await navigate({ to: '/sign-in' })
      // The next user must not see data of this one.
      queryClient.clear()
    },
    onError: (error) => toast(`Sign-out failed. ${error.message}`),
  })
  return (
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
      <MenuItem onSelect={() => signOut.mutate()}>Sign out</MenuItem>
    </Menu>
  )
}
