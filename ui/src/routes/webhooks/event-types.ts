/** The types of events, in people's words. */
import type { CheckListOption } from '../../components/check-list.tsx'
import type { Webhook } from '../../api/schema.d.ts'

export type EventType = Webhook['types'][number]

const labels: Readonly<Record<EventType, string>> = {
  'document.completed': 'A document is ready',
  'document.failed': 'A document could not be processed',
  'source.completed': 'A source was looked at',
  'source.failed': 'A source could not be looked at',
  'batch.completed': 'A batch is done',
  'batch.failed': 'A batch has lines at fault',
  'batch.expired': 'A batch ran out of time',
  'batch.cancelled': 'A batch was cancelled',
  'response.completed': 'A background response is done',
  'response.failed': 'A background response failed',
  'response.cancelled': 'A background response was cancelled',
  'response.incomplete': 'A background response was cut short',
  'budget.threshold': 'A budget reached a threshold',
  'provider.down': 'A provider is down',
  'provider.up': 'A provider answers again',
  'key.expiring': 'An API key expires soon',
}

export const eventTypes = Object.keys(labels) as readonly EventType[]

/** The choices of a form: the sentence, with the type on the wire beside it. */
export const eventOptions: readonly CheckListOption[] = eventTypes.map((type) => ({
  value: type,
  label: labels[type],
  note: type,
}))

/** The types that an endpoint gets, in one line. */
export function eventsText(types: readonly EventType[]): string {
  return types.length === eventTypes.length ? 'All events' : types.map((type) => labels[type]).join(', ')
}
