/** What the form holds of a model's reasoning: the efforts it takes, and what each puts where in the request. */
import type { NewReasoning, Reasoning } from '../../api/schema.d.ts'

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof efforts)[number]

export interface WriteDraft {
  readonly pointer: string
  /** JSON, or a bare word for a text; nothing = nothing is written for that effort. */
  readonly values: Readonly<Partial<Record<Effort, string>>>
}

export interface ReasoningDraft {
  /** As its provider's, none at all, or its own. */
  readonly mode: 'provider' | 'none' | 'own'
  readonly efforts: ReadonlySet<Effort>
  readonly writes: readonly WriteDraft[]
}

const usualPointer = '/reasoning_effort'

export const asProvider: ReasoningDraft = { mode: 'provider', efforts: new Set(), writes: [] }

/** What a record says about reasoning. */
export function reasoningOf(reasoning: Reasoning | null): ReasoningDraft {
  if (reasoning === null) return asProvider
  return {
    mode: reasoning.efforts.length === 0 ? 'none' : 'own',
    efforts: new Set(reasoning.efforts),
    writes: reasoning.writes.map(({ pointer, values }) => ({
      pointer,
      values: Object.fromEntries(Object.entries(values).map(([effort, value]) => [effort, shownValue(value)])),
    })),
  }
}

/** The same as a request has it; null = as its provider's. */
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

/** With another mode; its own begins as OpenAI has it, the word itself in one field. */
export function withMode(draft: ReasoningDraft, mode: ReasoningDraft['mode']): ReasoningDraft {
  if (mode !== 'own' || draft.writes.length > 0) return { ...draft, mode }
  return [...draft.efforts].reduce(withEffort, {
    mode,
    efforts: new Set<Effort>(),
    writes: [{ pointer: usualPointer, values: {} }],
  })
}

/** With an effort that was not there: the word itself is put where words are put already. */
export function withEffort(draft: ReasoningDraft, effort: Effort): ReasoningDraft {
  const writes = draft.writes.map((write, index) =>
    index === 0 && isWords(write) ? { ...write, values: { ...write.values, [effort]: effort } } : write,
  )
  return { ...draft, efforts: new Set([...draft.efforts, effort]), writes }
}

/** Without an effort and what it put. */
export function withoutEffort(draft: ReasoningDraft, effort: Effort): ReasoningDraft {
  return {
    ...draft,
    efforts: new Set([...draft.efforts].filter((each) => each !== effort)),
    writes: draft.writes.map((write) => ({ ...write, values: { ...write.values, [effort]: '' } })),
  }
}

/** True while each effort puts its own name. */
function isWords({ values }: WriteDraft): boolean {
  return Object.entries(values).every(([effort, value]) => value === '' || value === effort)
}

/** JSON where it is some, else the text itself: a word needs no quotes. */
function readValue(typed: string): unknown {
  try {
    return JSON.parse(typed)
  } catch {
    return typed
  }
}

function shownValue(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  // A word that would be read as something else, or not at all, needs its quotes.
  const isBareWord = value !== '' && value.trim() === value && readValue(value) === value
  return isBareWord ? value : JSON.stringify(value)
}
