/** The theme: light, dark or the system's. It is stored in the browser and applied before the first paint. */
import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const storageKey = 'sluice.theme'
const listeners = new Set<() => void>()

/** Applies the stored theme. */
export function applyTheme(): void {
  const theme = readTheme()
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

/** The theme, and a function that applies and stores another one. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore(subscribe, readTheme)
  return [theme, storeTheme]
}

function readTheme(): Theme {
  const stored = localStorage.getItem(storageKey)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

function storeTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, theme)
  applyTheme()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
