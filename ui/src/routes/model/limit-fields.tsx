/** How much of the model an account may have at once, and how long an answer may take. */
import { Panel } from '../../components/panel.tsx'
import { NumberField } from '../../components/text-field.tsx'
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
        <NumberField
          label="Requests in flight per account"
          hint="Empty: as in the settings. Applies while limits.realtime_inflight.enforce is on."
          param="inflight_limit"
          min={1}
          value={draft.inflightLimit}
          onChange={(inflightLimit) => change({ inflightLimit })}
        />
        <div className={styles.columns}>
          {timeoutNames.map((name) => (
            <NumberField
              key={name}
              label={`${labels[name]} (s)`}
              param={`timeouts.${name}`}
              min={0.05}
              step="any"
              placeholder="as in the settings"
              value={draft.timeouts[name]}
              onChange={(seconds) => change({ timeouts: { ...draft.timeouts, [name]: seconds } })}
            />
          ))}
        </div>
      </div>
    </Panel>
  )
}
