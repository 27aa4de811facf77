/** The models that the caller can use, to choose from: filters, an order, and what each has done in the last day. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import { ownCatalogueQuery } from '../../api/queries.ts'
import type { UsableModel } from '../../api/schema.d.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FilterForm, SelectFilter, TextFilter } from '../../components/filter-form.tsx'
import { Icon } from '../../components/icon.tsx'
import { moneyText } from '../../components/money.ts'
import { Skeleton } from '../../components/skeleton.tsx'
import { nanoPerUnit } from '#pricing/nano.ts'
import { useIsAdmin } from '../../shell/use-session.ts'
import { catalogueOrders, contextSteps, priceSteps, type ModelsSearch } from '../search.ts'
import { abilities, abilityNames, kindNames, kindOf, modelKinds } from './catalogue-facts.ts'
import { findModels } from './find-models.ts'
import { ModelCards } from './model-cards.tsx'
import { ModelTable } from './model-table.tsx'
import styles from './models-page.module.css'
import { performanceQuery } from './queries.ts'

const route = getRouteApi('/shell/models')

const orderLabels = {
  price: 'Cheapest',
  context: 'Longest context',
  latency: 'Quickest first token',
  speed: 'Fastest',
  use: 'Most used',
} as const satisfies Record<(typeof catalogueOrders)[number], string>

const noFilters = {
  q: undefined,
  kind: undefined,
  provider: undefined,
  context: undefined,
  price: undefined,
  can: undefined,
}

export function Catalogue() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const catalogue = useQuery(ownCatalogueQuery)
  const performance = useQuery(performanceQuery)
  const { data: models = [], currency = 'USD' } = catalogue.data ?? {}
  const done = new Map(performance.data?.data.map((each) => [each.model, each]))
  const all = models.map((model) => ({ model, performance: done.get(model.name) ?? null }))
  const found = findModels(all, search)
  const change = (next: ModelsSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true })
  if (catalogue.error !== null)
    return <ErrorNotice error={asApiError(catalogue.error)} onRetry={() => void catalogue.refetch()} />
  if (catalogue.data === undefined) return <Skeleton lines={6} label="Loading models" />
  if (models.length === 0) return <NoModels />
  const isFiltered = Object.keys(noFilters).some((name) => search[name as keyof typeof noFilters] !== undefined)
  return (
    <>
      <FilterForm
        label="Filter models"
        onClear={isFiltered ? () => change(noFilters) : null}
        status={`${found.length} of ${models.length} models`}
        actions={<ViewSwitch view={search.view} onChange={(next) => change({ view: next })} />}
      >
        <TextFilter
          label="Search models"
          placeholder="Search name, alias, provider…"
          value={search.q}
          onChange={(next) => change({ q: next })}
        />
        <Filters models={models} currency={currency} search={search} onChange={change} />
      </FilterForm>
      {found.length === 0 && (
        <EmptyState
          icon="search"
          title={search.q === undefined ? 'No model matches' : `No model matches “${search.q}”`}
        >
          The search covers names, aliases, providers, vendors, descriptions and capabilities. What nobody has told
          about a model matches no filter.
        </EmptyState>
      )}
      {found.length > 0 &&
        (search.view === 'table' ? (
          <ModelTable models={found} currency={currency} />
        ) : (
          <ModelCards models={found} currency={currency} />
        ))}
      <p className={styles.foot}>
        Prices are for a million tokens of input and of output. First token, speed and uptime are those of the last 24
        hours, of all requests.
      </p>
    </>
  )
}

interface FiltersProps {
  readonly models: readonly UsableModel[]
  readonly currency: string
  readonly search: ModelsSearch
  readonly onChange: (change: ModelsSearch) => void
}

/** Only filters that would leave something out. */
function Filters({ models, currency, search, onChange }: FiltersProps) {
  const kinds = kindNames.filter((kind) => models.some((model) => kindOf(model) === kind))
  const providers = [...new Set(models.map(({ provider }) => provider))].toSorted()
  const able = abilityNames.filter((ability) => models.some((model) => abilities[ability].has(model)))
  return (
    <>
      <SelectFilter
        label="Kind"
        all="All kinds"
        options={kinds.map((kind) => [kind, modelKinds[kind].label] as const)}
        value={search.kind}
        onChange={(kind) => onChange({ kind })}
      />
      {(providers.length > 1 || search.provider !== undefined) && (
        <SelectFilter
          label="Provider"
          all="All providers"
          options={providers.map((provider) => [provider, provider] as const)}
          value={search.provider}
          onChange={(provider) => onChange({ provider })}
        />
      )}
      <SelectFilter
        label="Context"
        all="Any context"
        options={contextSteps.map((step) => [String(step), `${step / 1000}K tokens or more`] as const)}
        value={search.context === undefined ? undefined : String(search.context)}
        onChange={(context) => onChange({ context: contextSteps.find((step) => String(step) === context) })}
      />
      {models.some(({ rates }) => rates !== null) && (
        <SelectFilter
          label="Price"
          all="Any price"
          options={priceSteps.map((step) => [String(step), priceLabel(step, currency)] as const)}
          value={search.price === undefined ? undefined : String(search.price)}
          onChange={(price) => onChange({ price: priceSteps.find((step) => String(step) === price) })}
        />
      )}
      {able.length > 0 && (
        <SelectFilter
          label="Capability"
          all="Any capability"
          options={able.map((ability) => [ability, abilities[ability].label] as const)}
          value={search.can}
          onChange={(can) => onChange({ can })}
        />
      )}
      <SelectFilter
        label="Order"
        all="By name"
        options={catalogueOrders.map((order) => [order, orderLabels[order]] as const)}
        value={search.order}
        onChange={(order) => onChange({ order })}
      />
    </>
  )
}

function priceLabel(step: number, currency: string): string {
  return step === 0 ? 'Free' : `Input up to ${moneyText(step * nanoPerUnit, currency)}`
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
      Add a provider and import its models for a group that you are in. “Administration” above lists the models that
      exist.
    </EmptyState>
  )
}

interface ViewSwitchProps {
  readonly view: 'table' | undefined
  readonly onChange: (view: 'table' | undefined) => void
}

function ViewSwitch({ view, onChange }: ViewSwitchProps) {
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
