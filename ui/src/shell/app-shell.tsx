/** The frame of every page for signed-in users: header, navigation and the page. */
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useCallback, useEffect, useRef, useState, type ReactNode } from 'react'
import { sessionQuery } from '../api/queries.ts'
import { answerConflicts, type Choice, type Conflict } from '../api/conflict.ts'
import { allowRenewal } from '../api/renewal.ts'
import { Button } from '../components/button.tsx'
import { lazyPart, PartBoundary, PartFailed } from '../components/lazy-part.tsx'
import { Icon } from '../components/icon.tsx'
import styles from './app-shell.module.css'
import { Navigation } from './navigation.tsx'
import { useIdlePreload } from './use-idle-preload.ts'
import { useShortcuts } from './use-shortcuts.ts'
import { useSession, type Session } from './use-session.ts'

// These load when their button is pressed.
const CommandPalette = lazyPart(() => import('./command-palette.tsx'), 'CommandPalette')
const AccountMenu = lazyPart(() => import('./account-menu.tsx'), 'AccountMenu')
const ShortcutList = lazyPart(() => import('./shortcut-list.tsx'), 'ShortcutList')
const Drawer = lazyPart(() => import('./drawer.tsx'), 'Drawer')
const SignInAgain = lazyPart(() => import('./sign-in-again.tsx'), 'SignInAgain')
const ChangedRecord = lazyPart(() => import('./changed-record.tsx'), 'ChangedRecord')

export function AppShell() {
  const [paletteOpen, setPaletteOpen] = usePaletteKey()
  const [drawerOpen, setDrawerOpen] = useState(false)
  const [shortcutsOpen, setShortcutsOpen] = useShortcuts()
  const main = useFocusOnNewPage()
  useIdlePreload()
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
      {paletteOpen && (
        <ShellPart onClose={() => setPaletteOpen(false)}>
          <CommandPalette onClose={() => setPaletteOpen(false)} />
        </ShellPart>
      )}
      {shortcutsOpen && (
        <ShellPart onClose={() => setShortcutsOpen(false)}>
          <ShortcutList onClose={() => setShortcutsOpen(false)} />
        </ShellPart>
      )}
      {drawerOpen && (
        <ShellPart onClose={() => setDrawerOpen(false)}>
          <Drawer onClose={() => setDrawerOpen(false)} />
        </ShellPart>
      )}
      <Renewal />
      <Conflicts />
    </div>
  )
}

/** While the shell is shown, requests that find the session ended wait for people to sign in again. */
function Renewal() {
  const { user } = useSession()
  const queryClient = useQueryClient()
  const [answer, setAnswer] = useState<((renewed: boolean) => void) | null>(null)
  useEffect(() => {
    const { promise: left, resolve: leave } = Promise.withResolvers<boolean>()
    const end = allowRenewal(() => {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      setAnswer(() => resolve)
      return Promise.race([promise, left]).finally(() => setAnswer(null))
    })
    return () => {
      end()
      // What still waits is told that the page is gone.
      leave(false)
    }
  }, [])
  const onSession = useCallback(
    (session: Session) => {
      if (session.user.id !== user.id) {
        // What waits was entered by the user before: it goes with the page, and is never sent as this one.
        window.location.reload()
        return
      }
      queryClient.setQueryData(sessionQuery.queryKey, session)
      answer?.(true)
    },
    [answer, queryClient, user.id],
  )
  if (answer === null) return null
  return (
    <ShellPart onClose={() => answer(false)}>
      <SignInAgain email={user.email} onSession={onSession} onLeave={() => answer(false)} />
    </ShellPart>
  )
}

interface AskedConflict {
  readonly conflict: Conflict
  readonly answer: (choice: Choice) => void
}

/** While the shell is shown, people choose between their change and that of another person who was faster. */
function Conflicts() {
  const [asked, setAsked] = useState<AskedConflict | null>(null)
  useEffect(() => {
    const { promise: left, resolve: leave } = Promise.withResolvers<Choice>()
    const end = answerConflicts((conflict) => {
      const { promise, resolve: answer } = Promise.withResolvers<Choice>()
      setAsked({ conflict, answer })
      return Promise.race([promise, left]).finally(() => setAsked(null))
    })
    return () => {
      end()
      leave('none')
    }
  }, [])
  if (asked === null) return null
  return (
    <ShellPart onClose={() => asked.answer('none')}>
      <ChangedRecord conflict={asked.conflict} onChoice={asked.answer} />
    </ShellPart>
  )
}

interface ShellPartProps {
  readonly children: ReactNode
  readonly whileLoading?: ReactNode
  readonly onClose: () => void
}

/** A part of the shell that loads late. When it cannot be loaded, the shell and the page stay. */
function ShellPart({ children, whileLoading, onClose }: ShellPartProps) {
  return (
    <PartBoundary
      fallback={(error, onRetry) => (
        <>
          {whileLoading}
          <div className={styles.failed}>
            <PartFailed error={error} onRetry={onRetry} onClose={onClose} />
          </div>
        </>
      )}
    >
      <Suspense fallback={whileLoading}>{children}</Suspense>
    </PartBoundary>
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
    <ShellPart whileLoading={button} onClose={() => setAsked(false)}>
      <AccountMenu />
    </ShellPart>
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
