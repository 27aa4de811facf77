/** The components of a composite, the strategy that chooses one, and the failover. */
import { useQuery } from '@tanstack/react-query'
import { useRef, useState, type DragEvent } from 'react'
import { allModelsQuery } from '../../api/queries.ts'
import type { UpstreamHealth } from '../../api/schema.d.ts'
import { Combobox } from '../../components/combobox.tsx'
import { Field, FieldGroup } from '../../components/field.tsx'
import { Select } from '../../components/input.tsx'
import { Panel } from '../../components/panel.tsx'
import { NumberField, TextField } from '../../components/text-field.tsx'
import { ComponentRow } from './component-row.tsx'
import {
  moved,
  withComponent,
  withFields,
  withoutComponent,
  withStrategy,
  type CompositeDraft,
  type Strategy,
} from './composite-draft.ts'
import type { FieldsProps } from './fields-props.ts'
import { FlowLines } from './flow-lines.tsx'
import { ForecastText } from './forecast-text.tsx'
import { useForecast } from './use-forecast.ts'
import styles from './composite-fields.module.css'
import formStyles from './model-form.module.css'

const strategies: Readonly<Record<Strategy, string>> = {
  weighted: 'Weighted: the least busy, relative to its weight',
  priority: 'Priority: the first healthy one, in this order',
  latency: 'Latency: the fastest first byte',
  affinity: 'Affinity: where the beginning of the prompt was before',
}

const strategyNames = Object.keys(strategies) as readonly Strategy[]

export interface CompositeFieldsProps extends FieldsProps {
  readonly self: string | null
  /** Empty while it is unknown. */
  readonly health: readonly UpstreamHealth[]
}

export function CompositeFields({ draft, change, self, health }: CompositeFieldsProps) {
  const { composite } = draft
  const set = (next: CompositeDraft): void => change({ composite: next })
  return (
    <Panel title="Components">
      <div className={formStyles.fields}>
        <Field label="Strategy" param="composite.strategy">
          <Select
            value={composite.strategy}
            onChange={(event) => {
              const chosen = strategyNames.find((each) => each === event.target.value)
              if (chosen !== undefined) set(withStrategy(composite, chosen))
            }}
          >
            {Object.entries(strategies).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        </Field>
        <ComponentList composite={composite} onChange={set} self={self} health={health} />
        <Failover composite={composite} onChange={set} />
      </div>
    </Panel>
  )
}

interface ComponentListProps {
  readonly composite: CompositeDraft
  readonly onChange: (composite: CompositeDraft) => void
  readonly self: string | null
  readonly health: readonly UpstreamHealth[]
}

function ComponentList({ composite, onChange, self, health }: ComponentListProps) {
  const { data: models = [] } = useQuery(allModelsQuery)
  const [announced, setAnnounced] = useState('')
  const list = useRef<HTMLOListElement>(null)
  const dragged = useRef<number | null>(null)
  const { components } = composite
  const { forecast, outlookOf } = useForecast(composite)
  const nameOf = (id: string): string => models.find((model) => model.id === id)?.name ?? 'deleted model'
  const taken = new Set(components.map(({ model }) => model))
  const free = models.filter((model) => model.composite === null && model.id !== self && !taken.has(model.id))

  function move(from: number, to: number): void {
    if (to < 0 || to >= components.length || from === to) return
    onChange(moved(composite, from, to))
    setAnnounced(`${nameOf(components[from]?.model ?? '')} is now number ${to + 1} of ${components.length}`)
  }
  function onDragOver(event: DragEvent, index: number): void {
    if (dragged.current === null) return
    event.preventDefault()
    if (dragged.current === index) return
    move(dragged.current, index)
    dragged.current = index
  }
  return (
    <FieldGroup label="Components" param="composite.components">
      {components.length === 0 && <p className={formStyles.note}>No components yet. Add the models to combine.</p>}
      <div className={styles.drawing}>
        {components.length > 0 && (
          <FlowLines list={list} forecast={forecast.data} components={components.map(({ model }) => model)} />
        )}
        <ol ref={list} className={styles.list}>
          {components.map((component, index) => (
            <ComponentRow
              key={component.model}
              component={component}
              name={nameOf(component.model)}
              place={index}
              count={components.length}
              strategy={composite.strategy}
              health={health.find((upstream) => upstream.model_id === component.model) ?? null}
              {...outlookOf(component.model)}
              onChange={(fields) => onChange(withFields(composite, index, fields))}
              onRemove={() => {
                onChange(withoutComponent(composite, index))
                setAnnounced(`Removed ${nameOf(component.model)}`)
              }}
              onMove={(to) => move(index, to)}
              onDragStart={() => (dragged.current = index)}
              onDragOver={(event) => onDragOver(event, index)}
              onDragEnd={() => (dragged.current = null)}
            />
          ))}
        </ol>
      </div>
      <ForecastText forecast={forecast} />
      <Combobox
        label="Add a component"
        placeholder="Add a component…"
        options={free.map(({ name, aliases }) => ({ value: name, keywords: aliases }))}
        value={null}
        onChange={(name) => {
          const model = free.find((each) => each.name === name)
          if (model === undefined) return
          onChange(withComponent(composite, model.id))
          setAnnounced(`Added ${name}`)
        }}
      />
      <p className="visually-hidden" role="status">
        {announced}
      </p>
    </FieldGroup>
  )
}

function Failover({ composite, onChange }: Pick<ComponentListProps, 'composite' | 'onChange'>) {
  return (
    <FieldGroup
      label="Failover"
      hint="Another component is tried until the answer has begun. Empty: the default of the settings failover.*"
    >
      <div className={formStyles.columns}>
        <TextField
          label="After these statuses"
          param="composite.failover.statuses"
          placeholder="500, 502, 503"
          pattern="[\s,]*([45]\d\d[\s,]*)*"
          title="Statuses from 400 to 599, separated by commas"
          value={composite.statuses}
          onChange={(statuses) => onChange({ ...composite, statuses })}
        />
        <NumberField
          label="Maximum attempts"
          param="composite.failover.max_attempts"
          min={1}
          max={20}
          placeholder="default"
          value={composite.maxAttempts}
          onChange={(maxAttempts) => onChange({ ...composite, maxAttempts })}
        />
        <NumberField
          label="Within (s)"
          param="composite.failover.budget_seconds"
          min={0.05}
          max={3600}
          step="any"
          placeholder="default"
          value={composite.budgetSeconds}
          onChange={(budgetSeconds) => onChange({ ...composite, budgetSeconds })}
        />
      </div>
    </FieldGroup>
  )
}
