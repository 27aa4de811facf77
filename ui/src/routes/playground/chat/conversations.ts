/**
 * The conversations that this browser keeps of a user, each under a key of its own in the localStorage: tabs that write
 * different ones do not meet. A tab that goes on with a conversation which another tab has changed keeps a copy of its own.
 */
import { initialProgress } from '../../../api/stream-chat.ts'
import type { ChatSettings } from './chat-settings-values.ts'
import { newAnswer, stopped, type Answer, type ToolRound, type Turn } from './conversation.ts'
import { keptIds, newId, prefixOf, type Place } from './kept-place.ts'
import { isRecord, settingsOf, textOf } from './kept-settings.ts'

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

/** The oldest go first. */
export const keptMax = 200
const bytesPerTitle = 80

/** All kept conversations of a user, the newest first. What cannot be read is left out. */
export function allConversations(place: Place, userId: string): readonly Conversation[] {
  return keptIds(place, 'conversation', userId)
    .flatMap((id) => readConversation(place, userId, id) ?? [])
    .sort((a, b) => b.at - a.at)
}

/** One conversation; null when it is not there or cannot be read. */
export function readConversation(place: Place, userId: string, id: string): Conversation | null {
  try {
    return conversationOf(JSON.parse(place.getItem(prefixOf('conversation', userId) + id) ?? 'null'), id)
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
  place.removeItem(prefixOf('conversation', userId) + id)
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
  const others = keptIds(place, 'conversation', userId).filter((id) => id !== conversation.id)
  // The others are read only when one of them has to go.
  if (others.length >= keptMax) deleteOldest(place, userId, conversation.id)
  do {
    try {
      place.setItem(prefixOf('conversation', userId) + conversation.id, text)
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

function turnOf(value: unknown, id: string): Turn | null {
  if (!isRecord(value) || !isRecord(value['question'])) return null
  const { text, images } = value['question']
  const names = Array.isArray(images)
    ? images.map((image: unknown) => (isRecord(image) ? textOf(image['name']) : ''))
    : []
  const answers = Array.isArray(value['answers']) ? value['answers'].filter(isRecord).map(answerOf) : []
  const question = { text: textOf(text), images: names.map((name) => ({ name, url: '' })) }
  return { id, question, answers, schema: textOf(value['schema']) }
}

function answerOf({ model, state, progress, error, rounds }: Readonly<Record<string, unknown>>): Answer {
  const known = isRecord(progress) ? progress : {}
  const numbers = ['firstTokenMs', 'promptTokens', 'completionTokens'].map((name) => [
    name,
    numberOf(known[name], null),
  ])
  return {
    ...newAnswer(textOf(model)),
    state: state === 'complete' ? 'complete' : state === 'failed' && isError(error) ? 'failed' : 'stopped',
    error: isError(error) ? error : null,
    rounds: recordsOf(rounds).map(roundOf),
    progress: {
      ...initialProgress,
      ...(Object.fromEntries(numbers) as object),
      text: textOf(known['text']),
      reasoning: textOf(known['reasoning']),
      elapsedMs: numberOf(known['elapsedMs'], 0),
      cachedTokens: numberOf(known['cachedTokens'], 0),
      reasoningTokens: numberOf(known['reasoningTokens'], 0),
      toolCalls: recordsOf(known['toolCalls']).map(callOf),
      finishReason: typeof known['finishReason'] === 'string' ? known['finishReason'] : null,
      citations: Array.isArray(known['citations']) ? known['citations'].flatMap(citationOf) : [],
    },
  }
}

function roundOf({ text, calls }: Readonly<Record<string, unknown>>): ToolRound {
  return {
    text: textOf(text),
    calls: recordsOf(calls).map((call) => ({ ...callOf(call), result: textOf(call['result']) })),
  }
}

function callOf({ id, name, arguments: given }: Readonly<Record<string, unknown>>) {
  return { id: textOf(id), name: textOf(name), arguments: textOf(given) }
}

function recordsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function numberOf<Else>(value: unknown, otherwise: Else): number | Else {
  return typeof value === 'number' ? value : otherwise
}

type Citation = Answer['progress']['citations'][number]

/** The citation, or nothing when it cannot be read. Conversations of versions before have no offsets: they mark nothing. */
function citationOf(value: unknown): readonly Citation[] {
  if (!isRecord(value)) return []
  const { index, doc_id: id, name, page, heading_path: headings, text, start, end } = value
  const isText = (each: unknown): each is string => typeof each === 'string'
  if (typeof index !== 'number' || !isText(id) || !isText(text)) return []
  return [
    {
      index,
      doc_id: id,
      name: isText(name) ? name : null,
      page: numberOf(page, null),
      heading_path: Array.isArray(headings) ? headings.filter(isText) : [],
      start: numberOf(start, 0),
      end: numberOf(end, 0),
      text,
    },
  ]
}

function isError(value: unknown): value is NonNullable<Answer['error']> {
  return isRecord(value) && typeof value['message'] === 'string' && typeof value['status'] === 'number'
}
