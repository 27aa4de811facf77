/** The reasoning efforts of a model, and how each is written into the provider's request. */
import { Button } from '../../components/button.tsx'
import { Field, FieldGroup } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { Checkbox, Input, Select } from '../../components/input.tsx'
import { Panel } from '../../components/panel.tsx'
import type { FieldsProps } from './fields-props.ts'
import styles from './model-form.module.css'
import {
  efforts,
  withEffort,
  withMode,
  withoutEffort,
  type ReasoningDraft,
  type WriteDraft,
} from './reasoning-draft.ts'

export function ReasoningFields({ draft, change }: FieldsProps) {
  const { reasoning } = draft
  const set = (next: ReasoningDraft): void => change({ reasoning: next })
  return (
    <Panel title="Reasoning">
      <div className={styles.fields}>
        <Field label="Reasoning efforts" param="reasoning">
          <Select
            value={reasoning.mode}
            onChange={({ target: { value } }) =>
              set(withMode(reasoning, value === 'own' || value === 'none' ? value : 'provider'))
            }
          >
            <option value="provider">Default of the provider or model</option>
            <option value="none">No reasoning</option>
            <option value="own">Custom…</option>
          </Select>
        </Field>
        {reasoning.mode === 'own' && (
          <>
            <FieldGroup label="Supported efforts">
              <div className={styles.words}>
                {efforts.map((effort) => (
                  <Checkbox
                    key={effort}
                    label={effort}
                    checked={reasoning.efforts.has(effort)}
                    onChange={(event) =>
                      set(event.target.checked ? withEffort(reasoning, effort) : withoutEffort(reasoning, effort))
                    }
                  />
                ))}
              </div>
            </FieldGroup>
            {reasoning.writes.map((write, index) => (
              <Write
                // A new row has no name yet.
                key={index}
                write={write}
                place={index}
                taken={efforts.filter((effort) => reasoning.efforts.has(effort))}
                onChange={(next) =>
                  set({ ...reasoning, writes: reasoning.writes.map((each, place) => (place === index ? next : each)) })
                }
                onRemove={() => set({ ...reasoning, writes: reasoning.writes.filter((_, place) => place !== index) })}
              />
            ))}
            <div>
              <Button
                disabled={reasoning.writes.length >= 8}
                onClick={() => set({ ...reasoning, writes: [...reasoning.writes, { pointer: '', values: {} }] })}
              >
                <Icon name="plus" />
                Add a field
              </Button>
            </div>
          </>
        )}
      </div>
    </Panel>
  )
}

interface WriteProps {
  readonly write: WriteDraft
  readonly place: number
  readonly taken: readonly (typeof efforts)[number][]
  readonly onChange: (write: WriteDraft) => void
  readonly onRemove: () => void
}

function Write({ write, place, taken, onChange, onRemove }: WriteProps) {
  return (
    <div className={styles.write}>
      <div className={styles.writeHead}>
        <Field label={`Field ${place + 1}`} hint="A JSON pointer into the request body.">
          <Input
            value={write.pointer}
            placeholder="/reasoning_effort"
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => onChange({ ...write, pointer: event.target.value })}
          />
        </Field>
        <Button variant="quiet" icon aria-label={`Remove field ${place + 1}`} onClick={onRemove}>
          <Icon name="trash" />
        </Button>
      </div>
      <FieldGroup label="Value for each effort" hint="A word, a number or JSON. Empty: not written.">
        <div className={styles.columns}>
          {taken.map((effort) => (
            <Field key={effort} label={effort}>
              <Input
                value={write.values[effort] ?? ''}
                spellCheck={false}
                autoComplete="off"
                onChange={(event) => onChange({ ...write, values: { ...write.values, [effort]: event.target.value } })}
              />
            </Field>
          ))}
        </div>
      </FieldGroup>
    </div>
  )
}
