/** The settings of a chat: models, system prompt, parameters, documents. They apply to the next question. */
import type { UsableModel } from '../../../api/schema.d.ts'
import { Field } from '../../../components/field.tsx'
import { Checkbox, Select, Textarea } from '../../../components/input.tsx'
import { NumberField } from '../../../components/text-field.tsx'
import { ModelPicker } from '../model-picker.tsx'
import { DocumentFilterFields } from '../document-filter-fields.tsx'
import styles from './chat-settings.module.css'
import type { ChatSettings as Settings } from './chat-settings-values.ts'

export interface ChatSettingsProps {
  readonly id: string
  readonly settings: Settings
  readonly models: readonly UsableModel[]
  /** The efforts of the chosen models; empty when none are known. */
  readonly efforts: readonly string[]
  readonly onChange: (settings: Partial<Settings>) => void
}

export function ChatSettings({ id, settings, models, efforts, onChange }: ChatSettingsProps) {
  const other = models.find(({ name }) => name !== settings.model) ?? models[0]
  return (
    <section id={id} className={styles.settings} aria-label="Chat settings">
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
          placeholder="Instructions for the model"
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
  const field = (name: 'temperature' | 'topP' | 'maxTokens') => ({
    placeholder: 'default',
    value: settings[name],
    onChange: (typed: string) => onChange({ [name]: typed }),
  })
  return (
    <div className={styles.numbers}>
      <NumberField {...field('temperature')} label="Temperature" min={0} max={2} step={0.1} />
      <NumberField {...field('topP')} label="Top p" min={0} max={1} step={0.05} />
      <NumberField {...field('maxTokens')} label="Max tokens" min={1} />
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
  return (
    <>
      <Checkbox
        label="Answer from documents"
        checked={overDocuments}
        onChange={(event) => onChange({ overDocuments: event.target.checked })}
      />
      {overDocuments && (
        <div className={styles.numbers}>
          <DocumentFilterFields
            category={category}
            topK={topK}
            count={{ label: 'Maximum sources', max: 50, placeholder: '6' }}
            onChange={onChange}
          />
        </div>
      )}
    </>
  )
}
