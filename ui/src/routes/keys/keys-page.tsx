/** The page of API keys: the own ones, and for administrators those of all users. */
import { getRouteApi } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Checkbox } from '../../components/input.tsx'
import { LatePart } from '../../components/late-part.tsx'
import { lazyPart } from '../../components/lazy-part.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import { KeyList } from './key-list.tsx'

// It loads when it is opened.
const CreateKeyDialog = lazyPart(() => import('./create-key-dialog.tsx'), 'CreateKeyDialog')

const route = getRouteApi('/shell/keys')

export function KeysPage() {
  const isAdmin = useIsAdmin()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const owner = search.owner === 'anyone' && isAdmin ? 'anyone' : 'self'
  const setCreating = (creating: boolean): void =>
    void navigate({ search: { ...search, new: creating ? true : undefined }, replace: true })
  return (
    <>
      <PageHeader
        title="API Keys"
        description="Programs use an API key to call this server. A key has the permissions of its user, or fewer."
        actions={
          <Button variant="primary" onClick={() => setCreating(true)}>
            <Icon name="plus" />
            Create API Key
          </Button>
        }
      />
      <KeyList
        key={owner}
        owner={owner}
        search={search}
        onSearch={(next) => void navigate({ search: { ...next, owner: search.owner }, replace: true })}
      >
        {isAdmin && (
          <Checkbox
            label="Keys of all users"
            checked={owner === 'anyone'}
            onChange={(event) =>
              void navigate({
                search: { ...search, owner: event.target.checked ? 'anyone' : undefined },
                replace: true,
              })
            }
          />
        )}
      </KeyList>
      <LatePart onClose={() => setCreating(false)}>
        {search.new === true && <CreateKeyDialog onClose={() => setCreating(false)} />}
      </LatePart>
    </>
  )
}
