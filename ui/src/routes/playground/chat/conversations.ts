/**
 * The conversations that this browser keeps of a user, each under a key of its own in the localStorage: tabs that write
 * different ones do not meet. A tab that goes on with a conversation which another tab has changed keeps a copy of its own.
 */
import { initialProgress } from '../../../api/stream-chat.ts'
import type { ChatSettings } from './chat-settings-values.ts'
import { newAnswer, stopped, type Answer, type Turn } from './conversation.ts'

export interface Conversation {
  readonly id: string
  /** The name that the user gave; empty for none. */
  readonly name: string
  /** When it was last changed, in epoch milliseconds. */
  readonly at: number
  readonly turns: readonly Turn[]
  readonly settings: Partial<ChatSettings>
}

/** The conversation that a tab shows, as the tab has seen it last. */
export interface Shown {
  readonly id: string
  readonly at: number
}

/** The place for conversations; a `Storage` of the browser. */
export type Place = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

/** The oldest go first. */
export const keptMax = 200
const bytesPerTitle = 80

const prefixOf = (userId: string): string => `sluice.conversation.${userId}.`

/** All kept conversations of a user, the newest first. What cannot be read is left out. */
export function allConversations(place: Place, userId: string): readonly Conversation[] {
  return idsOf(place, userId)
    .flatMap((id) => readConversation(place, userId, id) ?? [])
    .sort((a, b) => b.at - a.at)
}

function idsOf(place: Place, userId: string): readonly string[] {
  const prefix = prefixOf(userId)
  const names = Array.from({ length: place.length }, (_, index) => place.key(index) ?? '')
  return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))
}

/** One conversation; null when it is not there or cannot be read. */
export function readConversation(place: Place, userId: string, id: string): Conversation | null {
  try {
    return conversationOf(JSON.parse(place.getItem(prefixOf(userId) + id) ?? 'null'), id)
  } catch {
    return null
  }
}

/**
 * Keeps what a tab shows. `shown` is what the tab saw last; null for a conversation that was not kept before. Returns what it
 * shows now, which is a copy when another tab has changed the conversation since then. Null when there is no room.
 */
export function keepConversation(
  place: Place,
  userId: string,
  shown: Shown | null,
  { turns, settings }: Pick<Conversation, 'turns' | 'settings'>,
): Shown | null {
  const kept = shown === null ? null : readConversation(place, userId, shown.id)
  const isCurrent = shown !== null && (kept === null || kept.at === shown.at)
  const id = isCurrent ? shown.id : newId()
  // Two changes in one millisecond must differ.
  const at = Math.max(Date.now(), (kept?.at ?? 0) + 1)
  return writeConversation(place, userId, { id, name: kept?.name ?? '', at, turns, settings }) ? { id, at } : null
}

/** Gives a conversation a name; an empty one takes the name away. Its place in the list stays. */
export function renameConversation(place: Place, userId: string, id: string, name: string): void {
  const kept = readConversation(place, userId, id)
  if (kept !== null) writeConversation(place, userId, { ...kept, name: name.trim() })
}

export function deleteConversation(place: Place, userId: string, id: string): void {
  place.removeItem(prefixOf(userId) + id)
}

/** The name, or else the beginning of the first question. */
export function titleOf({ name, turns }: Conversation): string {
  return name || turns[0]?.question.text.slice(0, bytesPerTitle) || 'An image'
}

/** All conversations as a file that `importConversations` reads. */
export function exportConversations(conversations: readonly Conversation[]): string {
  return JSON.stringify({ format: 'sluice.conversations', version: 1, conversations }, null, 2)
}

/** Adds the conversations of a file under new ids. Returns how many; null when the file holds none. */
export function importConversations(place: Place, userId: string, text: string): number | null {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch {
    return null
  }
  const all = isRecord(file) && Array.isArray(file['conversations']) ? file['conversations'].slice(0, keptMax) : []
  const read = all.flatMap((each: unknown) => conversationOf(each, newId()) ?? [])
  const written = read.filter((each) => writeConversation(place, userId, each))
  return written.length === 0 ? null : written.length
}

/** Makes room by removing the oldest. Images are left out: a few would fill the storage. */
function writeConversation(place: Place, userId: string, conversation: Conversation): boolean {
  const turns = stopped(conversation.turns).map(({ question, ...turn }) => ({
    ...turn,
    question: { ...question, images: question.images.map(({ name }) => ({ name, url: '' })) },
  }))
  const text = JSON.stringify({ ...conversation, turns })
  const others = idsOf(place, userId).filter((id) => id !== conversation.id)
  // The others are read only when one of them has to go.
  if (others.length >= keptMax) deleteOldest(place, userId, conversation.id)
  do {
    try {
      place.setItem(prefixOf(userId) + conversation.id, text)
      return true
    } catch {
      // There is no room yet.
    }
  } while (deleteOldest(place, userId, conversation.id))
  return false
}

/** False when there is no other. */
function deleteOldest(place: Place, userId: string, exceptId: string): boolean {
  const oldest = allConversations(place, userId).findLast(({ id }) => id !== exceptId)
  if (oldest !== undefined) deleteConversation(place, userId, oldest.id)
  return oldest !== undefined
}

function conversationOf(value: unknown, id: string): Conversation | null {
  if (!isRecord(value) || !Array.isArray(value['turns'])) return null
  const turns = value['turns'].flatMap((turn: unknown, at) => turnOf(turn, `${id}-${at}`) ?? [])
  if (turns.length === 0) return null
  const { name, at, settings } = value
  return {
    id,
    name: textOf(name),
    at: typeof at === 'number' && Number.isFinite(at) ? at : 0,
    turns,
    settings: settingsOf(settings),
  }
}

/** Settings are texts, booleans and nulls; others are left out. */
function settingsOf(value: unknown): Partial<ChatSettings> {
  if (!isRecord(value)) return {}
  return Object.fromEntries(
    Object.entries(value).filter(([, each]) => each === null || ['string', 'boolean'].includes(typeof each)),
  )
}

function turnOf(value: unknown, id: string): Turn | null {
  if (!isRecord(value) || !isRecord(value['question'])) return null
  const { text, images } = value['question']
  const names = Array.isArray(images)
    ? images.map((image: unknown) => (isRecord(image) ? textOf(image['name']) : ''))
    : []
  const answers = Array.isArray(value['answers']) ? value['answers'].filter(isRecord).map(answerOf) : []
  return { id, question: { text: textOf(text), images: names.map((name) => ({ name, url: '' })) }, answers }
}

function answerOf({ model, state, progress, error }: Readonly<Record<string, unknown>>): Answer {
  const known = isRecord(progress) ? progress : {}
  const numbers = ['firstTokenMs', 'promptTokens', 'completionTokens'].map((name) => [
    name,
    typeof known[name] === 'number' ? known[name] : null,
  ])
  return {
    ...newAnswer(textOf(model)),
    state: state === 'complete' ? 'complete' : state === 'failed' && isError(error) ? 'failed' : 'stopped',
    error: isError(error) ? error : null,
    progress: {
      ...initialProgress,
      ...(Object.fromEntries(numbers) as object),
      text: textOf(known['text']),
      reasoning: textOf(known['reasoning']),
      elapsedMs: typeof known['elapsedMs'] === 'number' ? known['elapsedMs'] : 0,
      finishReason: typeof known['finishReason'] === 'string' ? known['finishReason'] : null,
      citations: Array.isArray(known['citations']) ? known['citations'].filter(isCitation) : [],
    },
  }
}

type Citation = Answer['progress']['citations'][number]

function isCitation(value: unknown): value is Citation {
  if (!isRecord(value)) return false
  const { index, doc_id: id, name, page, heading_path: headings, text } = value
  const isText = (each: unknown): boolean => typeof each === 'string'
  return (
    typeof index === 'number' &&
    [id, text].every(isText) &&
    (name === null || isText(name)) &&
    (page === null || typeof page === 'number') &&
    Array.isArray(headings) &&
    headings.every(isText)
  )
}

function isError(value: unknown): value is NonNullable<Answer['error']> {
  return isRecord(value) && typeof value['message'] === 'string' && typeof value['status'] === 'number'
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A unique id. `crypto.randomUUID` exists on https and localhost only. */
export function newId(): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`
}
