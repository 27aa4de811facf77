/** The menu that creates a model, for administrators. */
import { useNavigate } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Menu, MenuItem } from '../../components/menu.tsx'

export function CreateModel() {
  const navigate = useNavigate()
  return (
    <div>
      <Menu
        trigger={
          <Button variant="primary">
            <Icon name="plus" />
            Create model
          </Button>
        }
      >
        <MenuItem onSelect={() => void navigate({ to: '/models/new' })}>Model of a provider</MenuItem>
        <MenuItem onSelect={() => void navigate({ to: '/models/new', search: { kind: 'composite' } })}>
          Composite of several models
        </MenuItem>
      </Menu>
    </div>
  )
}
