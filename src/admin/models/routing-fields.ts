/** How composites, traffic rules and reasoning look in the admin API; the forms are those of the file. */
import { z } from '#lib/schema.ts'
import type {
  CompositeTarget,
  FailoverPolicy,
  ModelTarget,
  ReasoningConfig,
  TrafficRule,
  TrafficRules,
} from '#catalog/records.ts'
import { componentsForm, failoverForm, reasoningForm, rulesForm, strategyForm } from '#config/declared/routing-forms.ts'

const compositeForm = z.strictObject({
  strategy: strategyForm.describe(
    'weighted: the least busy for its weight; priority: the lowest first; latency: the fastest; affinity: the one that had the beginning of the prompt before',
  ),
  components: componentsForm.describe('Plain models, each by name or id; answers give the id'),
  failover: failoverForm.default({}).describe('What is left out is as in the settings failover.*'),
})

// A form has defaults, so that what is sent and what is answered are two schemas, each with its name.
const compositeText = 'The models that this one stands for.'
export const composite = compositeForm.meta({ id: 'NewComposite', description: compositeText })
export const compositeAnswer = compositeForm.meta({ id: 'Composite', description: compositeText })

export const rules = rulesForm.meta({
  id: 'TrafficRules',
  description: 'By purpose: deny, or redirect to another model, named by name or id; answers give the id.',
})

const reasoningText =
  'The efforts that are taken, and what each puts at which JSON pointer of the body that goes upstream. No efforts: it does not reason.'
export const reasoning = reasoningForm.meta({ id: 'NewReasoning', description: reasoningText })
export const reasoningAnswer = reasoningForm.meta({ id: 'Reasoning', description: reasoningText })

/** Null for a plain model. */
export function compositeOnWire(target: ModelTarget): z.input<typeof compositeAnswer> | null {
  if (target.kind === 'plain') return null
  const { statuses, maxAttempts, budgetSeconds } = target.failover
  return {
    strategy: target.strategy,
    components: target.components.map(({ modelId, ...fields }) => ({ model: modelId, ...fields })),
    failover: {
      ...(statuses && { statuses: [...statuses] }),
      ...(maxAttempts !== undefined && { max_attempts: maxAttempts }),
      ...(budgetSeconds !== undefined && { budget_seconds: budgetSeconds }),
    },
  }
}

/** The composite with its components' names replaced by these ids. */
export function compositeFromWire(wire: z.output<typeof composite>, ids: readonly string[]): CompositeTarget {
  return {
    kind: 'composite',
    strategy: wire.strategy,
    components: wire.components.map(({ weight, priority, enabled }, index) => ({
      modelId: ids[index] ?? '',
      weight,
      priority,
      enabled,
    })),
    failover: failoverFromWire(wire.failover),
  }
}

function failoverFromWire(wire: z.output<typeof failoverForm>): FailoverPolicy {
  return {
    ...(wire.statuses && { statuses: wire.statuses }),
    ...(wire.max_attempts !== undefined && { maxAttempts: wire.max_attempts }),
    ...(wire.budget_seconds !== undefined && { budgetSeconds: wire.budget_seconds }),
  }
}

export function rulesOnWire(record: TrafficRules): z.input<typeof rules> {
  const { realtime, batch } = record
  return { ...(realtime && { realtime: ruleOnWire(realtime) }), ...(batch && { batch: ruleOnWire(batch) }) }
}

function ruleOnWire(rule: TrafficRule) {
  return rule.action === 'deny' ? rule : { action: rule.action, model: rule.modelId }
}

export function reasoningOnWire(record: ReasoningConfig | null): z.input<typeof reasoningAnswer> | null {
  if (record === null) return null
  const writes = record.writes.map(({ pointer, values }) => ({ pointer, values: { ...values } }))
  return { efforts: [...record.efforts], writes }
}
