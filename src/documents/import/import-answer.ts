/** The answer of POST /api/v1/documents: every item in one of three arrays, its content never repeated. */
import { z } from '#lib/schema.ts'
import type { Caller } from '#identity/records.ts'
import { documentStates, type DocumentState } from '#store/documents/document-store.ts'
import type { Documents } from '../documents.ts'
import { viewerOf } from '../owners.ts'
import type { ImportItem } from './import-request.ts'
import type { Invalid } from './receive-item.ts'

/** What became of an item. */
export type ItemOutcome =
  | { readonly kind: 'accepted'; readonly id: string }
  /** `id` is that of the document that was there before. */
  | { readonly kind: 'duplicate'; readonly id: string }
  | { readonly kind: 'invalid'; readonly reason: Invalid }

const warnings = z.array(z.string()).optional()

const answeredItem = z
  .strictObject({
    name: z.string(),
    bytes: z.literal('').describe('Content is never sent back'),
    category: z.string(),
    path: z.string(),
    doc_id: z.string().nullable().describe('Of a duplicate that of the document that was there before'),
    owners: z.union([z.string(), z.array(z.string()), z.null()]).describe('As they were sent'),
    source: z.string().optional().describe('As it was sent, with a source_id'),
    source_id: z.string().optional().describe('As it was sent'),
    state: z.enum(documentStates).optional().describe('With wait_for_completion'),
    reason: z.strictObject({ code: z.string(), message: z.string() }).optional().describe('Of an invalid item'),
    warnings: warnings.describe('About the fields of the item'),
  })
  .meta({ id: 'ImportedFileItem' })

export const importAnswer = z
  .strictObject({
    accepted: z.array(answeredItem),
    duplicate: z.array(answeredItem),
    invalid: z.array(answeredItem),
    warnings: warnings.describe('About the request as a whole'),
  })
  .meta({ id: 'DocumentImportAnswer' })

export type ImportAnswer = z.input<typeof importAnswer>
type AnsweredItem = z.input<typeof answeredItem>

interface Imported {
  readonly items: readonly ImportItem[]
  /** One for each item, in order. */
  readonly outcomes: readonly ItemOutcome[]
  readonly withStates: boolean
  readonly warnings: readonly string[]
}

export async function importAnswerOf(
  documents: Documents,
  caller: Caller,
  { items, outcomes, withStates, warnings: notes }: Imported,
): Promise<ImportAnswer> {
  const states = withStates ? await statesOf(documents, caller, outcomes) : new Map<string, DocumentState>()
  const answer = { accepted: [] as AnsweredItem[], duplicate: [] as AnsweredItem[], invalid: [] as AnsweredItem[] }
  for (const [index, item] of items.entries()) {
    const outcome = outcomes[index]
    if (outcome !== undefined) answer[outcome.kind].push(answeredOf(item, outcome, states))
  }
  return notes.length === 0 ? answer : { ...answer, warnings: [...notes] }
}

function answeredOf(item: ImportItem, outcome: ItemOutcome, states: ReadonlyMap<string, DocumentState>): AnsweredItem {
  const { name, category, path, docId } = item
  const owners = typeof item.owners === 'string' || item.owners === null ? item.owners : [...item.owners]
  const notes = item.warnings.length > 0 && { warnings: [...item.warnings] }
  const file = item.source && { source: item.source.name, source_id: item.source.id }
  const about = { name, bytes: '' as const, category, path, doc_id: docId, owners, ...file, ...notes }
  if (outcome.kind === 'invalid') return { ...about, reason: { ...outcome.reason } }
  const state = states.get(outcome.id)
  return { ...about, doc_id: outcome.id, ...(state !== undefined && { state }) }
}

async function statesOf(
  { store }: Documents,
  caller: Caller,
  outcomes: readonly ItemOutcome[],
): Promise<Map<string, DocumentState>> {
  const states = new Map<string, DocumentState>()
  const ids = outcomes.flatMap((outcome) => (outcome.kind === 'invalid' ? [] : [outcome.id]))
  const viewer = viewerOf(caller)
  for (let at = 0; at < ids.length; at += 200) {
    const some = ids.slice(at, at + 200)
    const { items } = await store.list({ viewer, ids: some, limit: some.length })
    for (const { id, state } of items) states.set(id, state)
  }
  return states
}
