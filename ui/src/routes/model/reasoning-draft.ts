/** A model's reasoning in the form: the supported efforts, and the values that each writes into the request. */
import type { NewReasoning, Reasoning } from '../../api/schema.d.ts'

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof efforts)[number]

export interface WriteDraft {
  readonly pointer: string
  /** JSON, or a word without quotes. Empty = not written for that effort. */
  readonly values: Readonly<Partial<Record<Effort, string>>>
}

export interface ReasoningDraft {
  /** The provider's default, none, or custom. */
  readonly mode: 'provider' | 'none' | 'own'
  readonly efforts: ReadonlySet<Effort>
  readonly writes: readonly WriteDraft[]
}

const usualPointer = '/reasoning_effort'

export const inheritedReasoning: ReasoningDraft = { mode: 'provider', efforts: new Set(), writes: [] }

/** The form's values for a record. */
export function reasoningOf(reasoning: Reasoning | null): ReasoningDraft {
  if (reasoning === null) return inheritedReasoning
  return {
    mode: reasoning.efforts.length === 0 ? 'none' : 'own',
    efforts: new Set(reasoning.efforts),
    writes: reasoning.writes.map(({ pointer, values }) => ({
      pointer,
      values: Object.fromEntries(Object.entries(values).map(([effort, value]) => [effort, shownValue(value)])),
    })),
  }
}

/** The reasoning as request parameters; null = the provider's default. */
export function reasoningOnWire({ mode, efforts: taken, writes }: ReasoningDraft): NewReasoning | null {
  if (mode === 'provider') return null
  if (mode === 'none') return { efforts: [], writes: [] }
  const listed = efforts.filter((effort) => taken.has(effort))
  return {
    efforts: listed,
    writes: writes.map(({ pointer, values }) => ({
      pointer: pointer.trim(),
      values: Object.fromEntries(
        listed.flatMap((effort) => {
          const typed = values[effort]?.trim() ?? ''
          return typed === '' ? [] : [[effort, readValue(typed)]]
        }),
      ),
    })),
  }
}

/** Changes the mode. Custom reasoning starts with OpenAI's form: the effort's name in one field. */
export function withMode(draft: ReasoningDraft, mode: ReasoningDraft['mode']): ReasoningDraft {
  if (mode !== 'own' || draft.writes.length > 0) return { ...draft, mode }
  return [...draft.efforts].reduce(withEffort, {
    mode,
    efforts: new Set<Effort>(),
    writes: [{ pointer: usualPointer, values: {} }],
  })
}

/** Adds an effort. Where the efforts write their own names, the new one does, too. */
export function withEffort(draft: ReasoningDraft, effort: Effort): ReasoningDraft {
  const writes = draft.writes.map((write, index) =>
    index === 0 && isWords(write) ? { ...write, values: { ...write.values, [effort]: effort } } : write,
  )
  return { ...draft, efforts: new Set([...draft.efforts, effort]), writes }
}

/** Removes an effort and its values. */
export function withoutEffort(draft: ReasoningDraft, effort: Effort): ReasoningDraft {
  return {
    ...draft,
    efforts: new Set([...draft.efforts].filter((each) => each !== effort)),
    writes: draft.writes.map((write) => ({ ...write, values: { ...write.values, [effort]: '' } })),
  }
}

/** True when every effort writes its own name. */
function isWords({ values }: WriteDraft): boolean {
  return Object.entries(values).every(([effort, value]) => value === '' || value === effort)
}

/** The value of valid JSON, otherwise the text itself. */
function readValue(typed: string): unknown {
  try {
    return JSON.parse(typed)
  } catch {
    return typed
  }
}

function shownValue(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  // Text that would be parsed as another value needs quotes.
  const isBareWord = value !== '' && value.trim() === value && readValue(value) === value
  return isBareWord ? value : JSON.stringify(value)
}
