/** A model in the form: text as it is typed, with the conversion from a record and to a request. */
import type { Capabilities, ModelCreation, ModelRecord, Timeouts, TrafficRules } from '../../api/schema.d.ts'
import { compositeOf, emptyComposite, compositeOnWire, type CompositeDraft } from './composite-draft.ts'
import { inheritedReasoning, reasoningOf, reasoningOnWire, type ReasoningDraft } from './reasoning-draft.ts'

/** Yes, no or unknown. */
export type TriState = '' | 'yes' | 'no'

export interface RuleDraft {
  readonly action: '' | 'deny' | 'redirect'
  /** Id of the model to redirect to. */
  readonly model: string
}

export const timeoutNames = ['connect_seconds', 'first_token_seconds', 'idle_seconds', 'total_seconds'] as const
export type TimeoutName = (typeof timeoutNames)[number]

export interface ModelDraft {
  readonly kind: 'plain' | 'composite'
  readonly name: string
  readonly aliases: readonly string[]
  readonly description: string
  readonly active: boolean
  readonly providerId: string
  readonly upstreamName: string
  readonly composite: CompositeDraft
  readonly groups: ReadonlySet<string>
  readonly endpoints: readonly string[]
  readonly input: readonly string[]
  readonly tools: TriState
  readonly jsonSchema: TriState
  readonly reasons: TriState
  readonly contextLength: string
  readonly inflightLimit: string
  readonly batches: NonNullable<ModelCreation['batch']>
  readonly timeouts: Readonly<Record<TimeoutName, string>>
  readonly realtime: RuleDraft
  readonly batch: RuleDraft
  readonly reasoning: ReasoningDraft
}

/** Changes some fields of the draft. */
export type ChangeDraft = (fields: Partial<ModelDraft>) => void

const noRule: RuleDraft = { action: '', model: '' }

/** A new model for these groups. */
export function newDraft(kind: ModelDraft['kind'], groups: readonly string[]): ModelDraft {
  return {
    kind,
    name: '',
    aliases: [],
    description: '',
    active: true,
    providerId: '',
    upstreamName: '',
    composite: emptyComposite,
    groups: new Set(groups),
    endpoints: [],
    input: [],
    tools: '',
    jsonSchema: '',
    reasons: '',
    contextLength: '',
    inflightLimit: '',
    batches: 'local',
    timeouts: { connect_seconds: '', first_token_seconds: '', idle_seconds: '', total_seconds: '' },
    realtime: noRule,
    batch: noRule,
    reasoning: inheritedReasoning,
  }
}

/** The form's values for a record. */
export function draftOf(model: ModelRecord): ModelDraft {
  const { capabilities, timeouts } = model
  return {
    kind: model.composite === null ? 'plain' : 'composite',
    name: model.name,
    aliases: model.aliases,
    description: model.description,
    active: model.active,
    providerId: model.provider_id ?? '',
    upstreamName: model.upstream_name ?? '',
    composite: model.composite === null ? emptyComposite : compositeOf(model.composite),
    groups: new Set(model.groups),
    endpoints: capabilities.endpoints ?? [],
    input: capabilities.input ?? [],
    tools: known(capabilities.tools),
    jsonSchema: known(capabilities.json_schema),
    reasons: known(capabilities.reasoning),
    contextLength: textOf(model.context_length),
    inflightLimit: textOf(model.inflight_limit),
    batches: model.batch,
    timeouts: {
      connect_seconds: textOf(timeouts.connect_seconds),
      first_token_seconds: textOf(timeouts.first_token_seconds),
      idle_seconds: textOf(timeouts.idle_seconds),
      total_seconds: textOf(timeouts.total_seconds),
    },
    realtime: ruleOf(model.rules.realtime),
    batch: ruleOf(model.rules.batch),
    reasoning: reasoningOf(model.reasoning),
  }
}

/** A copy with another name and without aliases, because names are unique. */
export function copyOf(model: ModelRecord): ModelDraft {
  return { ...draftOf(model), name: `${model.name}-copy`, aliases: [] }
}

/** The request parameters, to create or change a model. */
export function bodyOf(draft: ModelDraft): ModelCreation {
  const isPlain = draft.kind === 'plain'
  const upstreamName = draft.upstreamName.trim()
  return {
    name: draft.name.trim(),
    aliases: draft.aliases,
    description: draft.description.trim(),
    active: draft.active,
    ...(isPlain
      ? {
          provider_id: draft.providerId === '' ? null : draft.providerId,
          upstream_name: upstreamName === '' ? draft.name.trim() : upstreamName,
          reasoning: reasoningOnWire(draft.reasoning),
        }
      : { composite: compositeOnWire(draft.composite) }),
    groups: [...draft.groups],
    capabilities: capabilitiesOnWire(draft),
    context_length: numberOf(draft.contextLength) ?? null,
    inflight_limit: numberOf(draft.inflightLimit) ?? null,
    batch: draft.batches,
    timeouts: timeoutsOnWire(draft.timeouts),
    rules: rulesOnWire(draft),
  }
}

/** Whether two drafts are equal. They are plain data, made with their fields in one order, and a set of groups. */
export function isSame(one: ModelDraft, other: ModelDraft): boolean {
  const plain = (_: string, value: unknown): unknown => (value instanceof Set ? [...value] : value)
  return JSON.stringify(one, plain) === JSON.stringify(other, plain)
}

/** The typed number; undefined for empty text. */
export function numberOf(typed: string): number | undefined {
  return typed.trim() === '' ? undefined : Number(typed)
}

/** The number as text; empty for none. */
export function textOf(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value)
}

function known(value: boolean | undefined): TriState {
  return value === undefined ? '' : value ? 'yes' : 'no'
}

function capabilitiesOnWire({ endpoints, input, tools, jsonSchema, reasons }: ModelDraft): Capabilities {
  return {
    ...(endpoints.length > 0 && { endpoints }),
    ...(input.length > 0 && { input }),
    ...(tools !== '' && { tools: tools === 'yes' }),
    ...(jsonSchema !== '' && { json_schema: jsonSchema === 'yes' }),
    ...(reasons !== '' && { reasoning: reasons === 'yes' }),
  }
}

function timeoutsOnWire(typed: ModelDraft['timeouts']): Timeouts {
  return Object.fromEntries(
    timeoutNames.flatMap((name) => {
      const seconds = numberOf(typed[name])
      return seconds === undefined ? [] : [[name, seconds]]
    }),
  )
}

function ruleOf(rule: TrafficRules['realtime']): RuleDraft {
  if (rule === undefined) return noRule
  return rule.action === 'deny' ? { action: 'deny', model: '' } : { action: 'redirect', model: rule.model }
}

function rulesOnWire({ realtime, batch }: ModelDraft): TrafficRules {
  return { realtime: ruleOnWire(realtime), batch: ruleOnWire(batch) }
}

function ruleOnWire({ action, model }: RuleDraft): TrafficRules['realtime'] {
  if (action === '') return undefined
  return action === 'deny' ? { action } : { action, model }
}
