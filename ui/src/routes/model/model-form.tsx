/** The form of a model, new or existing. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FormErrors } from '../../components/form-errors.tsx'
import { AccessFields } from './access-fields.tsx'
import { CapabilityFields } from './capability-fields.tsx'
import { CompositeFields } from './composite-fields.tsx'
import type { ChangeDraft, ModelDraft } from './model-draft.ts'
import { GeneralFields } from './general-fields.tsx'
import { HealthPanel } from './health-panel.tsx'
import { LimitFields } from './limit-fields.tsx'
import styles from './model-form.module.css'
import { healthQuery } from './queries.ts'
import { ReasoningFields } from './reasoning-fields.tsx'
import { RuleFields } from './rule-fields.tsx'
import { UpstreamFields } from './upstream-fields.tsx'

export interface ModelFormProps {
  readonly draft: ModelDraft
  readonly change: ChangeDraft
  readonly error: ApiError | null
  /** Id of the model; null for a new one. */
  readonly self: string | null
  readonly readOnly: boolean
  readonly onSubmit: () => void
  /** The buttons; the main one submits the form. */
  readonly actions: ReactNode
}

export function ModelForm({ draft, change, error, self, readOnly, onSubmit, actions }: ModelFormProps) {
  const { data: health = [] } = useQuery({ ...healthQuery(self ?? ''), enabled: self !== null })
  const fields = { draft, change }
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <FormErrors error={error}>
        {() => (
          <fieldset disabled={readOnly} className={styles.form}>
            <KindChoice kind={draft.kind} onChange={(kind) => change({ kind })} />
            <div className={styles.body}>
              <div className={styles.side}>
                <GeneralFields {...fields} />
                {draft.kind === 'plain' ? (
                  <UpstreamFields {...fields} />
                ) : (
                  <CompositeFields {...fields} self={self} health={health} />
                )}
                <AccessFields {...fields} />
                <RuleFields {...fields} self={self} />
              </div>
              <div className={styles.side}>
                {self !== null && <HealthPanel id={self} />}
                <CapabilityFields {...fields} />
                <LimitFields {...fields} />
                {draft.kind === 'plain' && <ReasoningFields {...fields} />}
              </div>
            </div>
          </fieldset>
        )}
      </FormErrors>
      {error !== null && <ErrorNotice error={error} />}
      {!readOnly && <div className={styles.bar}>{actions}</div>}
    </form>
  )
}

const kinds = [
  ['plain', 'Model of a provider', 'Runs on one model of one provider.'],
  ['composite', 'Composite', 'Combines several models; when one fails, another answers.'],
] as const

function KindChoice({
  kind,
  onChange,
}: {
  readonly kind: ModelDraft['kind']
  readonly onChange: (kind: ModelDraft['kind']) => void
}) {
  return (
    <div role="radiogroup" aria-label="Kind of model" className={styles.kinds}>
      {kinds.map(([value, name, text]) => (
        <label key={value} className={styles.kind}>
          <input type="radio" name="kind" checked={kind === value} onChange={() => onChange(value)} />
          <span className={styles.kindName}>{name}</span>
          <span>{text}</span>
        </label>
      ))}
    </div>
  )
}
