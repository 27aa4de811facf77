/** Who is signed in, the theme, and signing out. Open from its first rendering: it is loaded when somebody asks for it. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { Menu, MenuChoice, MenuItem, MenuText } from '../components/menu.tsx'
import { toast } from '../components/toast.tsx'
import { useTheme, type Theme } from './theme.ts'
import { useSession } from './use-session.ts'

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

export function AccountMenu() {
  const { user } = useSession()
  const [theme, setTheme] = useTheme()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const signOut = useMutation({
    mutationFn: () => api('DELETE /admin/api/v1/session'),
    async onSuccess() {
      await navigate({ to: '/sign-in' })
      // Nothing of this user stays for the next one.
      queryClient.clear()
    },
    onError: (error) => toast(`Not signed out: ${error.message}`),
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
