/** What a model costs now and what it has cost before; sets another price. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { ModelRecord, Price } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { PriceDialog } from './price-dialog.tsx'
import { RateList, ratesText } from './price-rates.tsx'
import styles from './price-panel.module.css'
import { pricesOfModelQuery } from './queries.ts'

export function PricePanel({ model }: { readonly model: ModelRecord }) {
  const prices = useQuery(pricesOfModelQuery(model.id))
  const [setting, setSetting] = useState(false)
  if (model.composite !== null)
    return (
      <Panel title="Price">
        <p className={styles.note}>
          A composite has no price of its own: a request costs what the component costs that serves it.
        </p>
      </Panel>
    )
  const { data } = prices
  const isDeclared = data?.data.some((price) => price.source === 'declared' && price.replaced_at === null) === true
  return (
    <Panel
      title="Price"
      actions={
        !isDeclared && (
          <Button disabled={data === undefined} onClick={() => setSetting(true)}>
            <Icon name="plus" />
            Set a price
          </Button>
        )
      }
    >
      {prices.error !== null && <ErrorNotice error={asApiError(prices.error)} onRetry={() => void prices.refetch()} />}
      {prices.isPending && <Skeleton lines={4} label="Loading prices" />}
      {data !== undefined && (
        <div className={styles.stack}>
          {isDeclared && (
            <p className={styles.note}>The configuration file declares the prices of this model. Change them there.</p>
          )}
          {data.price === null ? <Unknown /> : <Current price={data.price} currency={data.currency} />}
          {data.data.length > 0 && (
            <History modelId={model.id} prices={data.data} current={data.price} currency={data.currency} />
          )}
          {setting && (
            <PriceDialog
              model={model}
              current={data.price}
              currency={data.currency}
              onClose={() => setSetting(false)}
            />
          )}
        </div>
      )}
    </Panel>
  )
}

function Unknown() {
  return (
    <Notice tone="warning">
      <strong>The price is not known.</strong>
      <p>
        What requests of this model cost is unknown, not 0: reports leave it out, and hard budgets refuse the requests.
        Set a price; an empty one is for a model that costs nothing.
      </p>
    </Notice>
  )
}

interface ShownPrice {
  readonly price: Price
  readonly currency: string
}

function Current({ price, currency }: ShownPrice) {
  return (
    <div>
      <RateList price={price} currency={currency} />
      <p className={styles.note}>
        Since {dateText(price.valid_from)}. {sourceText(price)}
      </p>
    </div>
  )
}

interface HistoryProps {
  readonly modelId: string
  readonly prices: readonly Price[]
  readonly current: Price | null
  readonly currency: string
}

function History({ modelId, prices, current, currency }: HistoryProps) {
  const queryClient = useQueryClient()
  const [removing, setRemoving] = useState<Price | null>(null)
  return (
    <div>
      <h3>History</h3>
      <ul className={styles.history}>
        {prices.map((price) => (
          <li key={price.id} className={styles.entry}>
            <div className={styles.facts}>
              <span className={styles.name}>From {dateText(price.valid_from)}</span>
              <PriceState price={price} isCurrent={price.id === current?.id} />
              <span className={styles.rates}>{ratesText(price, currency)}</span>
              <span className={styles.note}>{sourceText(price)}</span>
            </div>
            {price.source === 'manual' && price.replaced_at === null && (
              <Button
                variant="quiet"
                icon
                aria-label={`Remove the price from ${dateText(price.valid_from)}`}
                onClick={() => setRemoving(price)}
              >
                <Icon name="trash" />
              </Button>
            )}
          </li>
        ))}
      </ul>
      {removing !== null && (
        <ConfirmDialog
          open
          onClose={() => setRemoving(null)}
          title="Remove this price?"
          consequence="The price before it is in effect again, or none. Costs of requests that have ended stay."
          names={[`From ${dateText(removing.valid_from)}: ${ratesText(removing, currency)}`]}
          confirm="Remove price"
          onConfirm={async () => {
            const params = { id: modelId, priceId: removing.id }
            await api('DELETE /admin/api/v1/models/{id}/prices/{priceId}', { params })
            await queryClient.invalidateQueries({ queryKey: resource.prices })
            toast('Removed the price')
          }}
        />
      )}
    </div>
  )
}

function PriceState({ price, isCurrent }: { readonly price: Price; readonly isCurrent: boolean }) {
  if (isCurrent) return <Badge tone="success">in effect</Badge>
  if (price.replaced_at !== null) return <Badge>replaced {dateText(price.replaced_at)}</Badge>
  if (Date.parse(price.valid_from) > Date.now()) return <Badge tone="accent">to come</Badge>
  return <Badge>earlier</Badge>
}

const sources = {
  manual: 'Set by an administrator',
  declared: 'From the configuration file',
  catalogue: 'The vendor’s list price',
} as const

function sourceText({ source, note }: Price): string {
  return note === '' ? `${sources[source]}.` : `${sources[source]}: ${note}.`
}

const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })
/** Prices of the catalogue that were never another are valid from 1970 on. */
const alwaysBefore = Date.UTC(2000, 0)

function dateText(at: string): string {
  return Date.parse(at) < alwaysBefore ? 'the beginning' : dates.format(new Date(at))
}
