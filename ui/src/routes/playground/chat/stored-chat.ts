/**
 * Stores the conversation in the sessionStorage of the browser tab: it survives a reload and ends with
 * the tab. The conversation of another user is not shown, and is overwritten.
 */
import { initialProgress } from '../../../api/stream-chat.ts'
import { newAnswer, stopped, type Turn } from './conversation.ts'
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
/** Increased with every change of the format, so that older data is ignored. */
const version = 2

/** The stored conversation of this user; an empty one when there is none. */
export function readChat(userId: string): Chat {
  const nothing = { turns: [], settings: standardSettings }
  try {
    const stored = JSON.parse(sessionStorage.getItem(name) ?? 'null') as StoredChat | null
    if (stored === null || stored.version !== version || stored.userId !== userId) return nothing
    return { turns: stopped(stored.turns), settings: stored.settings }
  } catch {
    return nothing
  }
}

/** Stores the conversation: without images when there is no room for them, and not at all without storage. */
export function storeChat(userId: string, { turns, settings }: Chat): void {
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

/** Replaces the stored conversation: what was asked and answered before, and the last question as a draft. */
export function storeAsked(userId: string, { model, system, messages }: AskedConversation): void {
  const turns: Turn[] = []
  for (const { role, text } of messages.slice(0, -1)) {
    const last = turns.at(-1)
    if (role === 'user') turns.push({ id: `logged-${turns.length}`, question: { text, images: [] }, answers: [] })
    else if (role === 'assistant' && last !== undefined)
      turns[turns.length - 1] = {
        ...last,
        answers: [{ ...newAnswer(model), state: 'complete', progress: { ...initialProgress, text } }],
      }
  }
  storeChat(userId, { turns, settings: { ...standardSettings, model, system } })
  try {
    sessionStorage.setItem(draftName, messages.at(-1)?.text ?? '')
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
