/** The rates of a price, as a table and as one line. */
import type { PriceKind } from '#pricing/price.ts'
import type { Price } from '../../api/schema.d.ts'
import tableStyles from '../../components/figure-table.module.css'
import { wholeText } from '../../components/format.ts'
import { exactMoneyText } from '../../components/money.ts'
import { kindGroups, kindNames } from './price-draft.ts'
import styles from './price-panel.module.css'

type Rates = Price['rates']

export interface RateListProps {
  readonly price: Pick<Price, 'rates' | 'tiers'>
  readonly currency: string
}

export function RateList({ price: { rates, tiers }, currency }: RateListProps) {
  const hasRates = Object.keys(rates).length > 0
  return (
    <div className={styles.kinds}>
      {hasRates ? <RateTable rates={rates} currency={currency} label="Rates" /> : <p>It costs nothing.</p>}
      {tiers.map((tier) => (
        <div key={tier.above}>
          <p className={styles.tier}>With more than {wholeText(tier.above)} tokens of input, all tokens cost:</p>
          <RateTable rates={tier.rates} currency={currency} label={`Rates above ${wholeText(tier.above)} tokens`} />
        </div>
      ))}
    </div>
  )
}

function RateTable({
  rates,
  currency,
  label,
}: {
  readonly rates: Rates
  readonly currency: string
  readonly label: string
}) {
  return (
    <table className={tableStyles.table} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Kind</th>
          <th scope="col">For</th>
          <th scope="col">Rate</th>
        </tr>
      </thead>
      <tbody>
        {ratesOf(rates).map(({ kind, unit, nano }) => (
          <tr key={kind}>
            <th scope="row">{kindNames[kind]}</th>
            <td>{unit}</td>
            <td>{exactMoneyText(nano, currency)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** "Input $2.50, Output $10.00". */
export function ratesText({ rates, tiers }: Pick<Price, 'rates' | 'tiers'>, currency: string): string {
  const parts = ratesOf(rates).map(({ kind, nano }) => `${kindNames[kind]} ${exactMoneyText(nano, currency)}`)
  const more = tiers.length === 0 ? [] : ['other rates for long inputs']
  return [...(parts.length === 0 ? ['Costs nothing'] : parts), ...more].join(', ')
}

function ratesOf(rates: Rates): readonly { readonly kind: PriceKind; readonly unit: string; readonly nano: number }[] {
  return kindGroups.flatMap(([unit, kinds]) =>
    kinds.flatMap((kind) => {
      const nano = rates[kind]
      return nano === undefined ? [] : [{ kind, unit: unit.toLowerCase(), nano }]
    }),
  )
}
