/**
 * The conversation of a browser tab, kept in its sessionStorage: it outlives a reload and ends with
 * the tab. One that another user left there is not shown, and is overwritten.
 */
import { stopped, type Turn } from './conversation.ts'
import { standardSettings, type ChatSettings } from './chat-settings-values.ts'

export interface Chat {
  readonly turns: readonly Turn[]
  readonly settings: ChatSettings
}

interface Kept extends Chat {
  readonly form: number
  readonly userId: string
}

const name = 'sluice.playground.chat'
/** Raised with every change of what is kept, so that an older one is not misread. */
const form = 1

/** What this user left in this tab; an empty conversation when there is nothing. */
export function readChat(userId: string): Chat {
  const nothing = { turns: [], settings: standardSettings }
  try {
    const kept = JSON.parse(sessionStorage.getItem(name) ?? 'null') as Kept | null
    if (kept === null || kept.form !== form || kept.userId !== userId) return nothing
    return { turns: stopped(kept.turns), settings: kept.settings }
  } catch {
    return nothing
  }
}

/** Keeps it; without its pictures when there is no room for them, and not at all where the browser keeps nothing. */
export function keepChat(userId: string, { turns, settings }: Chat): void {
  const small = turns.map(({ question, ...turn }) => ({
    ...turn,
    question: { ...question, pictures: question.pictures.map(({ name: of }) => ({ name: of, url: '' })) },
  }))
  for (const kept of [turns, small]) {
    try {
      sessionStorage.setItem(name, JSON.stringify({ form, userId, turns: stopped(kept), settings } satisfies Kept))
      return
    } catch {
      // Too large, or storage is switched off: the conversation goes on without.
    }
  }
}
