/** The frame of every page for signed-in users: header, navigation and the page. */
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import styles from './app-shell.module.css'
import { Navigation } from './navigation.tsx'
import { useSession } from './use-session.ts'

// These load when their button is pressed.
const CommandPalette = lazy(async () => ({ default: (await import('./command-palette.tsx')).CommandPalette }))
const AccountMenu = lazy(async () => ({ default: (await import('./account-menu.tsx')).AccountMenu }))
const Drawer = lazy(async () => ({ default: (await import('./drawer.tsx')).Drawer }))

export function AppShell() {
  const [paletteOpen, setPaletteOpen] = usePaletteKey()
  const [drawerOpen, setDrawerOpen] = useState(false)
  const main = useFocusOnNewPage()
  return (
    <div className={styles.shell}>
      <a href="#main" className={styles.skip}>
        Skip to the page
      </a>
      <header className={styles.header}>
        <Button
          variant="quiet"
          icon
          aria-label="Open the navigation"
          className={styles.burger ?? ''}
          onClick={() => setDrawerOpen(true)}
        >
          <Icon name="menu" />
        </Button>
        <Link to="/" className={styles.brand}>
          <Icon name="brand" size={20} />
          Sluice
        </Link>
        <Button className={styles.search ?? ''} onClick={() => setPaletteOpen(true)}>
          <Icon name="search" />
          <span>Go to…</span>
          <kbd aria-hidden="true">Ctrl K</kbd>
        </Button>
        <Account />
      </header>
      <div className={styles.side}>
        <Navigation />
      </div>
      <main id="main" ref={main} tabIndex={-1} className={styles.main}>
        <Outlet />
      </main>
      <Suspense>
        {paletteOpen && <CommandPalette onClose={() => setPaletteOpen(false)} />}
        {drawerOpen && <Drawer onClose={() => setDrawerOpen(false)} />}
      </Suspense>
    </div>
  )
}

function Account() {
  const { user } = useSession()
  const [asked, setAsked] = useState(false)
  const button = (
    <Button variant="quiet" icon aria-label={`Account of ${user.email}`} onClick={() => setAsked(true)}>
      <Icon name="user" />
    </Button>
  )
  return asked ? (
    <Suspense fallback={button}>
      <AccountMenu />
    </Suspense>
  ) : (
    button
  )
}

/** Ctrl+K or ⌘K opens and closes the palette. */
function usePaletteKey(): readonly [boolean, (open: boolean) => void] {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setOpen((before) => !before)
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
  return [open, setOpen]
}

/** Focuses the new page, so that screen readers read it from its beginning. */
function useFocusOnNewPage() {
  const main = useRef<HTMLElement>(null)
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname })
  const shown = useRef(path)
  useEffect(() => {
    if (shown.current !== undefined && shown.current !== path) main.current?.focus({ preventScroll: true })
    shown.current = path
  }, [path])
  return main
}
