/** The in-flight limit and the timeouts of a model. */
import { Field } from '../../components/field.tsx'
import { Select } from '../../components/input.tsx'
import { Panel } from '../../components/panel.tsx'
import { NumberField } from '../../components/text-field.tsx'
import { timeoutNames, type TimeoutName } from './model-draft.ts'
import type { FieldsProps } from './fields-props.ts'
import styles from './model-form.module.css'

const labels: Readonly<Record<TimeoutName, string>> = {
  connect_seconds: 'Connection',
  first_token_seconds: 'First token',
  idle_seconds: 'Between tokens',
  total_seconds: 'Total',
}

export function LimitFields({ draft, change }: FieldsProps) {
  return (
    <Panel title="Limits and timeouts">
      <div className={styles.fields}>
        <NumberField
          label="Requests in flight per account"
          hint="Empty: the default of the settings. Applies while limits.realtime_inflight.enforce is on."
          param="inflight_limit"
          min={1}
          value={draft.inflightLimit}
          onChange={(inflightLimit) => change({ inflightLimit })}
        />
        {draft.kind === 'plain' && (
          <Field
            label="Batches"
            hint="At the provider: OpenAI, Anthropic and servers like them run the lines as a batch of their own, for half the price."
            param="batch"
          >
            <Select
              value={draft.batches}
              onChange={({ target: { value } }) => change({ batches: value === 'native' ? 'native' : 'local' })}
            >
              <option value="local">Here</option>
              <option value="native">At the provider</option>
            </Select>
          </Field>
        )}
        <div className={styles.columns}>
          {timeoutNames.map((name) => (
            <NumberField
              key={name}
              label={`${labels[name]} (s)`}
              param={`timeouts.${name}`}
              min={0.05}
              step="any"
              placeholder="default"
              value={draft.timeouts[name]}
              onChange={(seconds) => change({ timeouts: { ...draft.timeouts, [name]: seconds } })}
            />
          ))}
        </div>
      </div>
    </Panel>
  )
}
