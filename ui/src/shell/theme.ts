/** Light, dark, or as the system has it: kept in this browser, and put on the document before the first paint. */
import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const storageKey = 'sluice.theme'
const listeners = new Set<() => void>()

/** Puts the kept choice into effect. */
export function applyTheme(): void {
  const theme = readTheme()
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

/** The choice, and a function that changes it at once and keeps it. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore(subscribe, readTheme)
  return [theme, keepTheme]
}

function readTheme(): Theme {
  const kept = localStorage.getItem(storageKey)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

function keepTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, theme)
  applyTheme()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
