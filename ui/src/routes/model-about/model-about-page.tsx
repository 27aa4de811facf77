/** The page of one model for those who use it: a first request, what it can do and costs, who may use it, how it does. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import { supportsChat } from '../../api/model-capabilities.ts'
import { ownCatalogueQuery } from '../../api/queries.ts'
import type { UsableModel } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { buttonClass } from '../../components/button.tsx'
import { CodeTabs } from '../../components/code-block.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { CopiedFact, Fact, Facts } from '../../components/facts.tsx'
import { wholeText } from '../../components/format.ts'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import { RateList } from '../model/price-rates.tsx'
import { kindOf, modelKinds, vendorOf, type ModelKind } from '../models/catalogue-facts.ts'
import { codeSamples } from '../models/code-samples.ts'
import { ModelFacts } from '../models/model-facts.tsx'
import { VendorMark } from '../models/vendor-mark.tsx'
import { LastDay } from './last-day.tsx'
import styles from './model-about-page.module.css'
import { WhoMayUse } from './who-may-use.tsx'

const route = getRouteApi('/shell/models/about/$name')
const catalogue = <Link to="/models">Models</Link>

export function ModelAboutPage() {
  const { name } = route.useParams()
  const { data, error, refetch } = useQuery(ownCatalogueQuery)
  if (error !== null) {
    return (
      <>
        <PageHeader title={name} back={catalogue} />
        <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />
      </>
    )
  }
  if (data === undefined) return <Skeleton lines={8} label="Loading the model" />
  const model = data.data.find((each) => each.name === name || each.aliases.includes(name))
  return model === undefined ? <Unknown name={name} /> : <About model={model} currency={data.currency} />
}

function Unknown({ name }: { readonly name: string }) {
  const isAdmin = useIsAdmin()
  return (
    <>
      <PageHeader title={name} back={catalogue} />
      <EmptyState icon="models" title="You cannot use a model of this name">
        {isAdmin
          ? 'It does not exist, is inactive, or none of your groups opens it. The administration of models shows all.'
          : 'It does not exist, or none of your groups opens it. Ask an administrator.'}
      </EmptyState>
    </>
  )
}

interface AboutProps {
  readonly model: UsableModel
  readonly currency: string
}

function About({ model, currency }: AboutProps) {
  return (
    <>
      <PageHeader
        title={model.name}
        back={catalogue}
        {...(model.description !== '' && { description: model.description })}
        actions={<Actions model={model} />}
      />
      <div className={styles.page}>
        <LastDay model={model.name} />
        <div className={styles.columns}>
          <Panel title="A first request">
            <CodeTabs label="Code samples" samples={codeSamples(model, window.location.origin)} />
            <p className={styles.hint}>
              Put an API key into <code>SLUICE_API_KEY</code>. You create keys on the page{' '}
              <Link to="/keys">API Keys</Link>.
            </p>
          </Panel>
          <div className={styles.side}>
            <KnownFacts model={model} />
            <Panel title="Price">
              {model.rates === null ? (
                <p className={styles.hint}>
                  {model.provider === 'sluice'
                    ? 'A request costs what the component costs that serves it.'
                    : 'No price is known: the cost of its requests is not counted.'}
                </p>
              ) : (
                <RateList price={{ rates: model.rates, tiers: [] }} currency={currency} />
              )}
            </Panel>
            <WhoMayUse model={model} />
          </div>
        </div>
      </div>
    </>
  )
}

/** The tab of the playground for each kind of model but those that chat. */
const tabs = {
  image: 'images',
  speech: 'audio',
  transcription: 'audio',
  embedding: 'embeddings',
  rerank: 'rerank',
} as const satisfies Partial<Record<ModelKind, string>>

function Actions({ model }: { readonly model: UsableModel }) {
  const isAdmin = useIsAdmin()
  const kind = kindOf(model)
  const tab = kind !== null && kind in tabs ? tabs[kind as keyof typeof tabs] : undefined
  return (
    <>
      {isAdmin && (
        <Link to="/models/$id" params={{ id: model.id }} className={buttonClass()}>
          Manage it
        </Link>
      )}
      <Link to="/requests" search={{ model: model.name }} className={buttonClass()}>
        Requests
      </Link>
      {(supportsChat(model) || tab !== undefined) && (
        <Link to="/playground" search={{ tab, model: model.name }} className={buttonClass('primary')}>
          Try it
        </Link>
      )}
    </>
  )
}

function KnownFacts({ model }: { readonly model: UsableModel }) {
  const kind = kindOf(model)
  const vendor = vendorOf(model)
  const { context_length: context, in_flight_limit: limit } = model
  return (
    <Panel title="About">
      <Facts>
        <Fact name="Names">
          <span className={styles.names}>
            {[model.name, ...model.aliases].map((name) => (
              <CopiedFact key={name} text={name} what={name === model.name ? `name ${name}` : `alias ${name}`} />
            ))}
          </span>
        </Fact>
        <Fact name="Made by">
          <span className={styles.vendor}>
            <VendorMark vendor={vendor} size={20} />
            {vendor.name}
          </span>
        </Fact>
        <Fact name="Provider">{model.provider === 'sluice' ? 'composite of several' : model.provider}</Fact>
        {kind !== null && <Fact name="Kind">{modelKinds[kind].label}</Fact>}
        {context !== null && <Fact name="Context">{wholeText(context)} tokens</Fact>}
        <Fact name="Capabilities">
          <ModelFacts model={model} />
        </Fact>
        <Fact name="In flight">
          {limit === null ? (
            'not limited'
          ) : (
            <>
              <Badge>{wholeText(limit)}</Badge> of your requests at once, across all your keys
            </>
          )}
        </Fact>
      </Facts>
    </Panel>
  )
}
