/** The settings of a chat: models, system prompt, parameters, tools, documents. They apply to the next question. */
import type { UsableModel } from '../../../api/schema.d.ts'
import { Button } from '../../../components/button.tsx'
import { Field } from '../../../components/field.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Checkbox, Select, Textarea } from '../../../components/input.tsx'
import { NumberField } from '../../../components/text-field.tsx'
import { ModelPicker } from '../model-picker.tsx'
import { DocumentFilterFields } from '../document-filter-fields.tsx'
import styles from './chat-settings.module.css'
import { comparedMax, type ChatSettings as Settings } from './chat-settings-values.ts'
import { FormatSettings, ToolSettings } from './tool-settings.tsx'

export interface ChatSettingsProps {
  readonly id: string
  readonly settings: Settings
  readonly models: readonly UsableModel[]
  /** The efforts of the chosen models; empty when none are known. */
  readonly efforts: readonly string[]
  readonly onChange: (settings: Partial<Settings>) => void
}

export function ChatSettings({ id, settings, models, efforts, onChange }: ChatSettingsProps) {
  return (
    <section id={id} className={styles.settings} aria-label="Chat settings">
      <ModelPicker label="Model" models={models} value={settings.model} onChange={(model) => onChange({ model })} />
      <Others settings={settings} models={models} onChange={onChange} />
      <Field label="System prompt">
        <Textarea
          rows={4}
          placeholder="Instructions for the model"
          value={settings.system}
          onChange={(event) => onChange({ system: event.target.value })}
        />
      </Field>
      <Parameters settings={settings} efforts={efforts} onChange={onChange} />
      <ToolSettings settings={settings} onChange={onChange} />
      <FormatSettings settings={settings} onChange={onChange} />
      <OverDocuments settings={settings} onChange={onChange} />
    </section>
  )
}

type PartProps = Pick<ChatSettingsProps, 'settings' | 'onChange'>

const places = ['Second', 'Third', 'Fourth']

/** The models beside the first one. */
function Others({ settings, models, onChange }: PartProps & Pick<ChatSettingsProps, 'models'>) {
  const { model, others } = settings
  const next = models.find(({ name }) => name !== model && !others.includes(name)) ?? models[0]
  return (
    <>
      {others.map((name, at) => (
        <div key={at} className={styles.other}>
          <ModelPicker
            label={`${places[at] ?? 'Other'} model`}
            models={models}
            value={name}
            onChange={(chosen) => onChange({ others: others.with(at, chosen) })}
          />
          <Button
            variant="quiet"
            icon
            aria-label={`Remove ${name} from the comparison`}
            title="Remove"
            onClick={() => onChange({ others: others.toSpliced(at, 1) })}
          >
            <Icon name="close" />
          </Button>
        </div>
      ))}
      {others.length < comparedMax - 1 && next !== undefined && (
        <div>
          <Button onClick={() => onChange({ others: [...others, next.name] })}>
            <Icon name="plus" />
            Compare with another model
          </Button>
        </div>
      )}
    </>
  )
}

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
