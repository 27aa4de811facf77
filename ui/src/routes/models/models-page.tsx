/** The page of models: those that the user can use, and for administrators all models. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import { ownModelsQuery } from '../../api/queries.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FilterForm, TextFilter } from '../../components/filter-form.tsx'
import { Icon } from '../../components/icon.tsx'
import { Checkbox } from '../../components/input.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { hasEveryWord } from '../../components/has-every-word.ts'
import { useIsAdmin } from '../../shell/use-session.ts'
import type { ModelsSearch } from '../search.ts'
import { CreateModel } from './create-model.tsx'
import { ManageModels } from './manage-models.tsx'
import { ModelCards } from './model-cards.tsx'
import { ModelDetails } from './model-details.tsx'
import { ModelTable } from './model-table.tsx'
import styles from './models-page.module.css'
import type { UsableModel } from '../../api/schema.d.ts'

const route = getRouteApi('/shell/models')

export function ModelsPage() {
  const isAdmin = useIsAdmin()
  const { reach } = route.useSearch()
  const navigate = route.useNavigate()
  const isAll = isAdmin && reach === 'all'
  return (
    <>
      <PageHeader
        title="Models"
        description={
          isAll
            ? 'All models of this server.'
            : 'Models that you can use. Requests name a model by its name or an alias.'
        }
        actions={isAdmin && <CreateModel />}
      />
      {isAdmin && (
        <div className={styles.reach}>
          <Checkbox
            label="Manage all models"
            checked={isAll}
            onChange={(event) => void navigate({ search: event.target.checked ? { reach: 'all' } : {}, replace: true })}
          />
        </div>
      )}
      {isAll ? <ManageModels /> : <UsableModels />}
    </>
  )
}

function UsableModels() {
  const { q = '', view, model } = route.useSearch()
  const navigate = route.useNavigate()
  const models = useQuery(ownModelsQuery)
  const change = (next: ModelsSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true })
  const found = (models.data ?? []).filter((each) => hasEveryWord(textsOf(each), q))
  const opened = models.data?.find((each) => each.name === model)
  const open = (name: string): void => change({ model: name })
  return (
    <>
      {models.error !== null && <ErrorNotice error={asApiError(models.error)} onRetry={() => void models.refetch()} />}
      {models.isPending && <Skeleton lines={6} label="Loading models" />}
      {models.data?.length === 0 && <NoModels />}
      {models.data !== undefined && models.data.length > 0 && (
        <>
          <FilterForm
            label="Filter models"
            onClear={q === '' ? null : () => change({ q: undefined })}
            status={`${found.length} of ${models.data.length} models`}
            actions={<ViewSwitch view={view} onChange={(next) => change({ view: next })} />}
          >
            <TextFilter
              label="Search models"
              placeholder="Search name, alias, provider…"
              value={q}
              onChange={(next) => change({ q: next })}
            />
          </FilterForm>
          {found.length === 0 && (
            <EmptyState icon="search" title={`No model matches “${q}”`}>
              The search covers names, aliases, providers, descriptions and capabilities.
            </EmptyState>
          )}
          {found.length > 0 &&
            (view === 'table' ? (
              <ModelTable models={found} onOpen={open} />
            ) : (
              <ModelCards models={found} onOpen={open} />
            ))}
        </>
      )}
      {opened !== undefined && <ModelDetails model={opened} onClose={() => change({ model: undefined })} />}
    </>
  )
}

function NoModels() {
  const isAdmin = useIsAdmin()
  if (!isAdmin) {
    return (
      <EmptyState icon="models" title="No models yet">
        Your groups have no models. Ask an administrator to add you to a group that has.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon="models"
      title="No models yet"
      action={
        <Link to="/providers" className={buttonClass('secondary')}>
          Go to the providers
        </Link>
      }
    >
      Add a provider and import its models for a group that you are in. “Manage all models” above lists the models that
      exist.
    </EmptyState>
  )
}

function ViewSwitch({
  view,
  onChange,
}: {
  readonly view: 'table' | undefined
  readonly onChange: (view: 'table' | undefined) => void
}) {
  return (
    <div role="group" aria-label="View" className={styles.switch}>
      <Button icon aria-label="Cards" aria-pressed={view === undefined} onClick={() => onChange(undefined)}>
        <Icon name="cards" />
      </Button>
      <Button icon aria-label="Table" aria-pressed={view === 'table'} onClick={() => onChange('table')}>
        <Icon name="table" />
      </Button>
    </div>
  )
}

function textsOf(model: UsableModel): readonly string[] {
  const { name, aliases, provider, description, capabilities } = model
  return [name, ...aliases, provider, description, ...(capabilities.endpoints ?? []), ...(capabilities.input ?? [])]
}
