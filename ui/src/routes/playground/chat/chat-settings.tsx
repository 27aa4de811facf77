/** What a chat is asked with: models, instructions, parameters, documents. Takes effect with the next question. */
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import type { UsableModel } from '../../../api/schema.d.ts'
import { Field } from '../../../components/field.tsx'
import { Checkbox, Input, Select, Textarea } from '../../../components/input.tsx'
import { ModelPicker } from '../model-picker.tsx'
import { categoriesQuery } from '../queries.ts'
import styles from './chat-settings.module.css'
import type { ChatSettings as Settings } from './chat-settings-values.ts'

export interface ChatSettingsProps {
  readonly id: string
  readonly settings: Settings
  readonly models: readonly UsableModel[]
  /** Of the chosen models; empty when none is known to take one. */
  readonly efforts: readonly string[]
  readonly onChange: (settings: Partial<Settings>) => void
}

export function ChatSettings({ id, settings, models, efforts, onChange }: ChatSettingsProps) {
  const other = models.find(({ name }) => name !== settings.model) ?? models[0]
  return (
    <section id={id} className={styles.settings} aria-label="Settings of the chat">
      <ModelPicker label="Model" models={models} value={settings.model} onChange={(model) => onChange({ model })} />
      <Checkbox
        label="Compare with a second model"
        checked={settings.second !== null}
        onChange={(event) => onChange({ second: event.target.checked ? (other?.name ?? null) : null })}
      />
      {settings.second !== null && (
        <ModelPicker
          label="Second model"
          models={models}
          value={settings.second}
          onChange={(second) => onChange({ second })}
        />
      )}
      <Field label="System prompt">
        <Textarea
          rows={4}
          placeholder="How the model should behave"
          value={settings.system}
          onChange={(event) => onChange({ system: event.target.value })}
        />
      </Field>
      <Parameters settings={settings} efforts={efforts} onChange={onChange} />
      <OverDocuments settings={settings} onChange={onChange} />
    </section>
  )
}

type PartProps = Pick<ChatSettingsProps, 'settings' | 'onChange'>

function Parameters({ settings, efforts, onChange }: PartProps & Pick<ChatSettingsProps, 'efforts'>) {
  const number = (name: 'temperature' | 'topP' | 'maxTokens') => ({
    type: 'number',
    inputMode: 'decimal' as const,
    placeholder: 'default',
    value: settings[name],
    onChange: (event: { readonly target: HTMLInputElement }) => onChange({ [name]: event.target.value }),
  })
  return (
    <div className={styles.numbers}>
      <Field label="Temperature">
        <Input {...number('temperature')} min={0} max={2} step={0.1} />
      </Field>
      <Field label="Top p">
        <Input {...number('topP')} min={0} max={1} step={0.05} />
      </Field>
      <Field label="Max tokens">
        <Input {...number('maxTokens')} min={1} step={1} />
      </Field>
      {efforts.length > 0 && (
        <Field label="Reasoning effort">
          <Select value={settings.effort} onChange={(event) => onChange({ effort: event.target.value })}>
            <option value="">default</option>
            {efforts.map((effort) => (
              <option key={effort}>{effort}</option>
            ))}
          </Select>
        </Field>
      )}
    </div>
  )
}

function OverDocuments({ settings, onChange }: PartProps) {
  const { overDocuments, category, topK } = settings
  const options = useQuery({ ...categoriesQuery, enabled: overDocuments })
  const listId = useId()
  return (
    <>
      <Checkbox
        label="Answer from documents"
        checked={overDocuments}
        onChange={(event) => onChange({ overDocuments: event.target.checked })}
      />
      {overDocuments && (
        <div className={styles.numbers}>
          <Field label="Category">
            <Input
              list={listId}
              placeholder="all"
              value={category}
              onChange={(event) => onChange({ category: event.target.value })}
            />
          </Field>
          <datalist id={listId}>
            {(options.data?.categories ?? []).map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <Field label="Most sources">
            <Input
              type="number"
              min={1}
              max={50}
              placeholder="6"
              value={topK}
              onChange={(event) => onChange({ topK: event.target.value })}
            />
          </Field>
        </div>
      )}
    </>
  )
}
