/** A composite in the form. Every change keeps the order of the list and the priorities consistent. */
import type { Composite, NewComposite } from '../../api/schema.d.ts'

export type Strategy = Composite['strategy']

export interface ComponentDraft {
  /** Id of the plain model. */
  readonly model: string
  readonly weight: string
  readonly priority: string
  readonly enabled: boolean
}

export interface CompositeDraft {
  readonly strategy: Strategy
  readonly components: readonly ComponentDraft[]
  /** Separated by commas or spaces. Here and in the next two fields, empty = the default of the settings. */
  readonly statuses: string
  readonly maxAttempts: string
  readonly budgetSeconds: string
}

export const emptyComposite: CompositeDraft = {
  strategy: 'weighted',
  components: [],
  statuses: '',
  maxAttempts: '',
  budgetSeconds: '',
}

/** The composite of a record, with the strategy `priority` sorted by priority. */
export function compositeOf({ strategy, components, failover }: Composite): CompositeDraft {
  const listed = strategy === 'priority' ? components.toSorted((a, b) => a.priority - b.priority) : components
  return {
    strategy,
    components: listed.map(({ model, weight, priority, enabled }) => ({
      model,
      weight: String(weight),
      priority: String(priority),
      enabled,
    })),
    statuses: failover.statuses?.join(', ') ?? '',
    maxAttempts: failover.max_attempts?.toString() ?? '',
    budgetSeconds: failover.budget_seconds?.toString() ?? '',
  }
}

/** The composite as request parameters. */
export function compositeOnWire(draft: CompositeDraft): NewComposite {
  const statuses = draft.statuses.split(/[\s,]+/).filter((word) => word !== '')
  return {
    strategy: draft.strategy,
    components: draft.components.map(({ model, weight, priority, enabled }) => ({
      model,
      weight: weight === '' ? 1 : Number(weight),
      priority: priority === '' ? 0 : Number(priority),
      enabled,
    })),
    failover: {
      ...(statuses.length > 0 && { statuses: statuses.map(Number) }),
      ...(draft.maxAttempts !== '' && { max_attempts: Number(draft.maxAttempts) }),
      ...(draft.budgetSeconds !== '' && { budget_seconds: Number(draft.budgetSeconds) }),
    },
  }
}

/** Adds a component at the end, with the lowest priority. */
export function withComponent(draft: CompositeDraft, model: string): CompositeDraft {
  const last = Math.max(-1, ...draft.components.map(({ priority }) => Number(priority)))
  const priority = draft.strategy === 'priority' ? String(last + 1) : '0'
  return { ...draft, components: [...draft.components, { model, weight: '1', priority, enabled: true }] }
}

/** Removes a component. */
export function withoutComponent(draft: CompositeDraft, index: number): CompositeDraft {
  return { ...draft, components: draft.components.filter((_, place) => place !== index) }
}

/** Changes fields of one component. */
export function withFields(draft: CompositeDraft, index: number, fields: Partial<ComponentDraft>): CompositeDraft {
  const components = draft.components.map((each, place) => (place === index ? { ...each, ...fields } : each))
  return { ...draft, components }
}

/** Moves one component; the positions keep their priorities. */
export function moved(draft: CompositeDraft, from: number, to: number): CompositeDraft {
  const priorities = draft.components.map(({ priority }) => priority)
  const components = [...draft.components]
  const [component] = components.splice(from, 1)
  if (component === undefined) return draft
  components.splice(to, 0, component)
  return { ...draft, components: components.map((each, index) => ({ ...each, priority: priorities[index] ?? '0' })) }
}

/** Changes the strategy. When all priorities are equal, the order of the list becomes the priorities. */
export function withStrategy(draft: CompositeDraft, strategy: Strategy): CompositeDraft {
  const isOrdered = new Set(draft.components.map(({ priority }) => priority)).size > 1
  if (strategy !== 'priority' || isOrdered) return { ...draft, strategy }
  return {
    ...draft,
    strategy,
    components: draft.components.map((each, index) => ({ ...each, priority: String(index) })),
  }
}
