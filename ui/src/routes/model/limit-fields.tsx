/** How much of the model an account may have at once, and how long an answer may take. */
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { Panel } from '../../components/panel.tsx'
import { timeoutNames, type TimeoutName } from './draft.ts'
import type { FieldsProps } from './fields.ts'
import styles from './model-form.module.css'

const labels: Readonly<Record<TimeoutName, string>> = {
  connect_seconds: 'Connecting',
  first_token_seconds: 'First token',
  idle_seconds: 'Silence',
  total_seconds: 'Whole answer',
}

export function LimitFields({ draft, change }: FieldsProps) {
  return (
    <Panel title="Limits and time-outs">
      <div className={styles.fields}>
        <Field
          label="Requests in flight per account"
          hint="Empty: as in the settings. Holds while limits.realtime_inflight.enforce is on."
          param="inflight_limit"
        >
          <Input
            type="number"
            min={1}
            step={1}
            value={draft.inflightLimit}
            onChange={(event) => change({ inflightLimit: event.target.value })}
          />
        </Field>
        <div className={styles.columns}>
          {timeoutNames.map((name) => (
            <Field key={name} label={`${labels[name]} (s)`} param={`timeouts.${name}`}>
              <Input
                type="number"
                min={0.05}
                step="any"
                placeholder="as in the settings"
                value={draft.timeouts[name]}
                onChange={(event) => change({ timeouts: { ...draft.timeouts, [name]: event.target.value } })}
              />
            </Field>
          ))}
        </div>
      </div>
    </Panel>
  )
}
