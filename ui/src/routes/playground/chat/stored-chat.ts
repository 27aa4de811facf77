/**
 * Stores what a browser tab shows in its sessionStorage, images included: it survives a reload. The conversation is also kept
 * for later, without images (conversations.ts). The conversation of another user is not shown, and is overwritten.
 */
import { initialProgress } from '../../../api/stream-chat.ts'
import { newAnswer, stopped, type Turn } from './conversation.ts'
import { keepConversation, type Conversation, type Shown } from './conversations.ts'
import { standardSettings, type ChatSettings } from './chat-settings-values.ts'

export interface Chat {
  readonly turns: readonly Turn[]
  readonly settings: ChatSettings
}

/** A conversation from elsewhere, whose last message is a question that is still to be asked. */
export interface AskedConversation {
  readonly model: string
  readonly system: string
  readonly messages: readonly { readonly role: string; readonly text: string }[]
}

interface StoredChat extends Chat {
  readonly version: number
  readonly userId: string
}

const name = 'sluice.playground.chat'
const draftName = 'sluice.playground.draft'
const shownName = 'sluice.playground.shown'
/** Increased with every change of the format, so that older data is ignored. */
const version = 3

/** The user who has signed out: a page that closes stores nothing of theirs any more. */
let signedOut: string | null = null

/** Forgets what this tab shows. What the browser keeps for later stays. */
export function forgetChat(userId: string): void {
  signedOut = userId
  lastKept = null
  for (const each of [name, draftName, shownName]) {
    try {
      sessionStorage.removeItem(each)
    } catch {
      // Storage is disabled: there is nothing to forget.
    }
  }
}

/** The stored conversation of this user; an empty one when there is none. */
export function readChat(userId: string): Chat {
  signedOut = null
  const nothing = { turns: [], settings: standardSettings }
  try {
    const stored = JSON.parse(sessionStorage.getItem(name) ?? 'null') as StoredChat | null
    if (stored === null || stored.version !== version || stored.userId !== userId) return nothing
    const turns = stopped(stored.turns)
    if (readShown() !== null) lastKept = turns
    return { turns, settings: stored.settings }
  } catch {
    return nothing
  }
}

/** The turns that are kept as they are: writing them again would only take the place of what another tab wrote. */
let lastKept: readonly Turn[] | null = null

/** Makes a kept conversation the one of this tab. */
export function showConversation({ id, at, turns }: Conversation): void {
  lastKept = turns
  writeShown({ id, at })
}

/** The id of the kept conversation that this tab shows; null when it is not kept. */
export function shownId(): string | null {
  return readShown()?.id ?? null
}

function keep(userId: string, { turns, settings }: Chat): void {
  if (turns.length === 0) writeShown(null)
  else if (turns !== lastKept) writeShown(keepConversation(localStorage, userId, readShown(), { turns, settings }))
  lastKept = turns
}

function readShown(): Shown | null {
  return JSON.parse(sessionStorage.getItem(shownName) ?? 'null') as Shown | null
}

function writeShown(shown: Shown | null): void {
  sessionStorage.setItem(shownName, JSON.stringify(shown))
}

/** Stores the conversation: without images when there is no room for them, and not at all without storage. */
export function storeChat(userId: string, { turns, settings }: Chat): void {
  if (userId === signedOut) return
  try {
    keep(userId, { turns, settings })
  } catch {
    // Storage is disabled.
  }
  const small = turns.map(({ question, ...turn }) => ({
    ...turn,
    question: { ...question, images: question.images.map(({ name: of }) => ({ name: of, url: '' })) },
  }))
  for (const each of [turns, small]) {
    try {
      sessionStorage.setItem(
        name,
        JSON.stringify({ version, userId, turns: stopped(each), settings } satisfies StoredChat),
      )
      return
    } catch {
      // Too large, or storage is disabled: the conversation continues in memory.
    }
  }
}

/** Begins a conversation in this tab: what was asked and answered before, and the last question as a draft. */
export function storeAsked(userId: string, { model, system, messages }: AskedConversation): void {
  const turns: Turn[] = []
  for (const { role, text } of messages.slice(0, -1)) {
    const last = turns.at(-1)
    if (role === 'user')
      turns.push({ id: `logged-${turns.length}`, question: { text, images: [] }, answers: [], schema: '' })
    else if (role === 'assistant' && last !== undefined)
      turns[turns.length - 1] = {
        ...last,
        answers: [{ ...newAnswer(model), state: 'complete', progress: { ...initialProgress, text } }],
      }
  }
  storeChat(userId, { turns: [], settings: standardSettings })
  storeChat(userId, { turns, settings: { ...standardSettings, model, system } })
  storeDraft(messages.at(-1)?.text ?? '')
}

/** Stores what is typed and not sent, for the next `takeDraft`. */
export function storeDraft(text: string): void {
  if (signedOut !== null) return
  try {
    sessionStorage.setItem(draftName, text)
  } catch {
    // Storage is disabled: the playground begins empty.
  }
}

/** The question that is still to be asked; empty for none. It is given once. */
export function takeDraft(): string {
  try {
    const draft = sessionStorage.getItem(draftName) ?? ''
    sessionStorage.removeItem(draftName)
    return draft
  } catch {
    return ''
  }
}
