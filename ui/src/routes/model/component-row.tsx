/** A component of a composite: reordered by drag, keys or buttons, with its weight, its health and its share of the requests. */
import type { DragEvent } from 'react'
import type { UpstreamHealth } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { countText, percentText } from '../../components/format.ts'
import { Icon } from '../../components/icon.tsx'
import { Input } from '../../components/input.tsx'
import { Switch } from '../../components/switch.tsx'
import type { ComponentDraft, Strategy } from './composite-draft.ts'
import styles from './composite-fields.module.css'
import { HealthBadge } from './health-panel.tsx'
import type { Outlook as OutlookProps } from './use-forecast.ts'

export interface ComponentRowProps extends OutlookProps {
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
      <button
        type="button"
        className={styles.handle}
        draggable
        aria-label={`Order of ${name}: ${place + 1} of ${count}`}
        title="Drag, or use the arrow keys"
        onKeyDown={(event) => {
          const by = steps[event.key]
          if (by === undefined) return
          event.preventDefault()
          props.onMove(place + by)
        }}
        onDragStart={(event) => {
          const row = event.currentTarget.closest('li')
          if (row !== null) event.dataTransfer.setDragImage(row, 12, 16)
          event.dataTransfer.effectAllowed = 'move'
          props.onDragStart()
        }}
        onDragEnd={props.onDragEnd}
      >
        <Icon name="grip" />
      </button>
      <div className={styles.words}>
        <span className={styles.name}>{name}</span>
        {health !== null && <HealthBadge health={health} />}
      </div>
      <MoveButtons {...props} />
      <WeightFields {...props} />
      <OutlookLine {...props} />
    </li>
  )
}

const steps: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 }

/** What the forecast says, and the question that it answers. */
function OutlookLine({ name, forecast, requests, component: { enabled }, isDown, onDown }: ComponentRowProps) {
  return (
    <div className={styles.outlook}>
      <span className={styles.share}>{forecast === null || !enabled ? '' : outlookText(forecast, requests)}</span>
      <label className={styles.share}>
        <input
          type="checkbox"
          checked={isDown}
          disabled={!enabled}
          aria-label={`If ${name} is down`}
          onChange={(event) => onDown(event.target.checked)}
        />
        if it is down
      </label>
    </div>
  )
}

function outlookText(
  { served, rescued, failures }: NonNullable<ComponentRowProps['forecast']>,
  requests: number,
): string {
  return [
    `${percentText(served / requests)} of requests`,
    ...(rescued === 0 ? [] : [`${countText(rescued, 'of them', 'of them')} after another failed`]),
    ...(failures === 0 ? [] : [countText(failures, 'failed call')]),
  ].join(' · ')
}

function MoveButtons({ component: { enabled }, name, place, count, onMove, onRemove, onChange }: ComponentRowProps) {
  return (
    <div className={styles.moves}>
      <Switch label={`${name} is on`} labelHidden checked={enabled} onChange={(next) => onChange({ enabled: next })} />
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
  const { weight, priority } = component
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
        {/* The same by drag and by the arrow keys. */}
        <input
          type="range"
          min={1}
          max={100}
          aria-label={`Weight of ${name}, by drag`}
          value={weight === '' ? '1' : weight}
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
    </div>
  )
}
