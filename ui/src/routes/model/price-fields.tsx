/** The fields of a price: its rates, and its tiers, which have other rates for long inputs. */
import { Button } from '../../components/button.tsx'
import { FieldGroup } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { NumberField, TextField } from '../../components/text-field.tsx'
import { kindGroups, kindNames, tiersMax, withTier, type RatesDraft, type TierDraft } from './price-draft.ts'
import styles from './price-panel.module.css'

export interface RateFieldsProps {
  /** The parameter that holds the rates. */
  readonly param: string
  readonly rates: RatesDraft
  /** What the console found, by parameter. */
  readonly problems: ReadonlyMap<string, string>
  readonly onChange: (rates: RatesDraft) => void
}

export function RateFields({ param, rates, problems, onChange }: RateFieldsProps) {
  return kindGroups.map(([unit, kinds]) => (
    <FieldGroup key={unit} label={`For ${unit.toLowerCase()}`}>
      <div className={styles.fields}>
        {kinds.map((kind) => (
          <TextField
            key={kind}
            label={kindNames[kind]}
            param={`${param}.${kind}`}
            inputMode="decimal"
            error={problems.get(`${param}.${kind}`) ?? null}
            value={rates[kind] ?? ''}
            onChange={(text) => onChange({ ...rates, [kind]: text })}
          />
        ))}
      </div>
    </FieldGroup>
  ))
}

export interface TierFieldsProps {
  readonly tiers: readonly TierDraft[]
  readonly problems: ReadonlyMap<string, string>
  readonly onChange: (tiers: readonly TierDraft[]) => void
}

export function TierFields({ tiers, problems, onChange }: TierFieldsProps) {
  const change = (key: number, fields: Partial<TierDraft>): void =>
    onChange(tiers.map((tier) => (tier.key === key ? { ...tier, ...fields } : tier)))
  return (
    <FieldGroup
      label="Long inputs"
      hint="Other rates for all tokens of a request with more tokens of input. Kinds that are left empty keep the rate from above."
    >
      <ul className={styles.tiers}>
        {tiers.map(({ key, above, rates }, index) => (
          <li key={key} className={styles.tierFields} aria-label={`Tier ${index + 1}`}>
            <div className={styles.tierHead}>
              <NumberField
                label="More tokens of input than"
                param={`tiers.${index}.above`}
                error={problems.get(`tiers.${index}.above`) ?? null}
                value={above}
                onChange={(text) => change(key, { above: text })}
              />
              <Button
                variant="quiet"
                icon
                aria-label={`Remove tier ${index + 1}`}
                onClick={() => onChange(tiers.filter((tier) => tier.key !== key))}
              >
                <Icon name="trash" />
              </Button>
            </div>
            <RateFields
              param={`tiers.${index}.rates`}
              rates={rates}
              problems={problems}
              onChange={(own) => change(key, { rates: own })}
            />
          </li>
        ))}
      </ul>
      {tiers.length < tiersMax && (
        <div>
          <Button onClick={() => onChange(withTier(tiers))}>
            <Icon name="plus" />
            Add a tier
          </Button>
        </div>
      )}
    </FieldGroup>
  )
}
