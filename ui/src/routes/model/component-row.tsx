/** A component of a composite: reordered by drag or buttons, with its weight and health. */
import type { DragEvent } from 'react'
import type { UpstreamHealth } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Input } from '../../components/input.tsx'
import { Switch } from '../../components/switch.tsx'
import type { ComponentDraft, Strategy } from './composite-draft.ts'
import styles from './composite-fields.module.css'
import { HealthBadge } from './health-panel.tsx'

export interface ComponentRowProps {
  readonly component: ComponentDraft
  readonly name: string
  readonly place: number
  readonly count: number
  readonly strategy: Strategy
  readonly health: UpstreamHealth | null
  readonly onChange: (fields: Partial<ComponentDraft>) => void
  readonly onRemove: () => void
  readonly onMove: (to: number) => void
  readonly onDragStart: () => void
  readonly onDragOver: (event: DragEvent) => void
  readonly onDragEnd: () => void
}

export function ComponentRow(props: ComponentRowProps) {
  const { name, place, count, health } = props
  return (
    <li
      className={styles.component}
      aria-label={`${place + 1} of ${count}: ${name}`}
      onDragOver={props.onDragOver}
      onDrop={(event) => event.preventDefault()}
    >
      <span
        className={styles.handle}
        draggable
        aria-hidden="true"
        title="Drag to reorder"
        onDragStart={(event) => {
          const row = event.currentTarget.closest('li')
          if (row !== null) event.dataTransfer.setDragImage(row, 12, 16)
          event.dataTransfer.effectAllowed = 'move'
          props.onDragStart()
        }}
        onDragEnd={props.onDragEnd}
      >
        <Icon name="grip" />
      </span>
      <div className={styles.words}>
        <span className={styles.name}>{name}</span>
        {health !== null && <HealthBadge health={health} />}
      </div>
      <MoveButtons {...props} />
      <WeightFields {...props} />
    </li>
  )
}

function MoveButtons({ name, place, count, onMove, onRemove }: ComponentRowProps) {
  return (
    <div className={styles.moves}>
      <Button
        variant="quiet"
        icon
        aria-label={`Move ${name} up`}
        disabled={place === 0}
        onClick={() => onMove(place - 1)}
      >
        <Icon name="up" />
      </Button>
      <Button
        variant="quiet"
        icon
        aria-label={`Move ${name} down`}
        disabled={place === count - 1}
        onClick={() => onMove(place + 1)}
      >
        <Icon name="chevron" />
      </Button>
      <Button variant="quiet" icon aria-label={`Remove ${name}`} onClick={onRemove}>
        <Icon name="trash" />
      </Button>
    </div>
  )
}

function WeightFields({ component, name, strategy, onChange }: ComponentRowProps) {
  const { weight, priority, enabled } = component
  return (
    <div className={styles.shares}>
      <label className={styles.share}>
        Weight
        <Input
          type="number"
          min={1}
          max={100}
          aria-label={`Weight of ${name}`}
          id={undefined}
          value={weight}
          onChange={(event) => onChange({ weight: event.target.value })}
        />
      </label>
      {strategy === 'priority' && (
        <label className={styles.share}>
          Priority
          <Input
            type="number"
            min={0}
            max={1000}
            aria-label={`Priority of ${name}, the lowest first`}
            id={undefined}
            value={priority}
            onChange={(event) => onChange({ priority: event.target.value })}
          />
        </label>
      )}
      <Switch label={`${name} is on`} labelHidden checked={enabled} onChange={(next) => onChange({ enabled: next })} />
    </div>
  )
}
