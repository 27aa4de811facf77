/** Traffic rules: what happens to requests of a purpose instead of being sent to the model. */
import { useQuery } from '@tanstack/react-query'
import { allModelsQuery } from '../../api/queries.ts'
import { Combobox } from '../../components/combobox.tsx'
import { Field } from '../../components/field.tsx'
import { Select } from '../../components/input.tsx'
import { Panel } from '../../components/panel.tsx'
import type { RuleDraft } from './draft.ts'
import type { FieldsProps } from './fields.ts'
import styles from './model-form.module.css'

const purposes = [
  ['realtime', 'Realtime requests', 'What people wait for: every request that does not say otherwise.'],
  ['batch', 'Batch requests', 'What nobody waits for.'],
] as const

export interface RuleFieldsProps extends FieldsProps {
  /** Id of the model, unless it is new: it cannot redirect to itself. */
  readonly self: string | null
}

export function RuleFields({ draft, change, self }: RuleFieldsProps) {
  return (
    <Panel title="Traffic rules">
      <div className={styles.fields}>
        {purposes.map(([purpose, label, hint]) => (
          <Rule
            key={purpose}
            label={label}
            hint={hint}
            rule={draft[purpose]}
            self={self}
            param={`rules.${purpose}`}
            onChange={(rule) => change({ [purpose]: rule })}
          />
        ))}
      </div>
    </Panel>
  )
}

interface RuleProps {
  readonly label: string
  readonly hint: string
  readonly rule: RuleDraft
  readonly self: string | null
  readonly param: string
  readonly onChange: (rule: RuleDraft) => void
}

function Rule({ label, hint, rule, self, param, onChange }: RuleProps) {
  const { data: models = [] } = useQuery(allModelsQuery)
  const target = models.find(({ id }) => id === rule.model)
  return (
    <div className={styles.rule}>
      <Field label={label} hint={hint} param={param}>
        <Select
          value={rule.action}
          onChange={({ target: { value } }) =>
            onChange({ ...rule, action: value === 'deny' || value === 'redirect' ? value : '' })
          }
        >
          <option value="">Are answered</option>
          <option value="deny">Are denied</option>
          <option value="redirect">Go to another model</option>
        </Select>
      </Field>
      {rule.action === 'redirect' && (
        <Field label={`${label} go to`}>
          <Combobox
            label={`${label} go to`}
            placeholder="Choose a model…"
            options={models
              .filter(({ id }) => id !== self)
              .map(({ name, aliases }) => ({ value: name, keywords: aliases }))}
            value={target?.name ?? null}
            onChange={(name) => onChange({ ...rule, model: models.find((model) => model.name === name)?.id ?? '' })}
          />
        </Field>
      )}
    </div>
  )
}
