/** The page of models: the catalogue of those that the user can use, and for administrators the administration of all. */
import { getRouteApi } from '@tanstack/react-router'
import { PageHeader } from '../../components/page-header.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import { Catalogue } from './catalogue.tsx'
import { CreateModel } from './create-model.tsx'
import { ManageModels } from './manage-models.tsx'

const route = getRouteApi('/shell/models')

export function ModelsPage() {
  const isAdmin = useIsAdmin()
  const { reach } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <PageHeader
        title="Models"
        description="Requests name a model by its name or an alias."
        actions={isAdmin && <CreateModel />}
      />
      {isAdmin ? (
        <Tabs
          label="Models"
          value={reach ?? 'own'}
          onChange={(value) => void navigate({ search: value === 'all' ? { reach: 'all' } : {}, replace: true })}
          tabs={[
            { value: 'own', label: 'Catalogue', content: <Catalogue /> },
            { value: 'all', label: 'Administration', content: <ManageModels /> },
          ]}
        />
      ) : (
        <Catalogue />
      )}
    </>
  )
}
