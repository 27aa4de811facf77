/** The traffic rules of a model: by purpose, requests are answered, denied or redirected. */
import { useQuery } from '@tanstack/react-query'
import { allModelsQuery } from '../../api/queries.ts'
import { Combobox } from '../../components/combobox.tsx'
import { Field } from '../../components/field.tsx'
import { Select } from '../../components/input.tsx'
import { Panel } from '../../components/panel.tsx'
import type { RuleDraft } from './model-draft.ts'
import type { FieldsProps } from './fields-props.ts'
import styles from './model-form.module.css'

const purposes = [
  ['realtime', 'Realtime requests', 'Requests are realtime unless they say that they are batch.'],
  ['batch', 'Batch requests', 'Requests that declare themselves as batch.'],
] as const

export interface RuleFieldsProps extends FieldsProps {
  /** Id of the model, which cannot redirect to itself; null for a new model. */
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
          <option value="">Answer</option>
          <option value="deny">Deny</option>
          <option value="redirect">Redirect to another model</option>
        </Select>
      </Field>
      {rule.action === 'redirect' && (
        <Field label={`Redirect ${label.toLowerCase()} to`}>
          <Combobox
            label={`Redirect ${label.toLowerCase()} to`}
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
