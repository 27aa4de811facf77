/**
 * Stores the conversation in the sessionStorage of the browser tab: it survives a reload and ends with
 * the tab. The conversation of another user is not shown, and is overwritten.
 */
import { stopped, type Turn } from './conversation.ts'
import { standardSettings, type ChatSettings } from './chat-settings-values.ts'

export interface Chat {
  readonly turns: readonly Turn[]
  readonly settings: ChatSettings
}

interface StoredChat extends Chat {
  readonly version: number
  readonly userId: string
}

const name = 'sluice.playground.chat'
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
