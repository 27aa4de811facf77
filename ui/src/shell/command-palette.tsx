/** The command palette: opens a page by its name. */
import { Dialog } from '@base-ui/react/dialog'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState, type KeyboardEvent } from 'react'
import { Icon } from '../components/icon.tsx'
import { Input } from '../components/input.tsx'
import styles from './command-palette.module.css'
import { pages, type Page } from './pages.ts'
import { useIsAdmin } from './use-session.ts'

export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const isAdmin = useIsAdmin()
  const navigate = useNavigate()
  const listId = useId()
  const [search, setSearch] = useState('')
  const [active, setActive] = useState(0)
  const found = pages.filter(
    (page) => (page.admin === undefined || isAdmin) && page.label.toLowerCase().includes(search.trim().toLowerCase()),
  )
  const chosen = found[Math.min(active, found.length - 1)]

  function open(page: Page): void {
    onClose()
    void navigate({ to: page.path })
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && found.length > 0) setActive((active + step + found.length) % found.length)
    else if (event.key === 'Enter' && chosen !== undefined) open(chosen)
    else return
    event.preventDefault()
  }

  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.shade} />
        <Dialog.Popup className={styles.palette} aria-label="Go to a page">
          <Input
            role="combobox"
            aria-label="Page"
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={chosen && `${listId}${chosen.path}`}
            placeholder="Go to a page"
            value={search}
            onKeyDown={onKeyDown}
            onChange={(event) => {
              setSearch(event.target.value)
              setActive(0)
            }}
          />
          <ul id={listId} role="listbox" aria-label="Pages" className={styles.list}>
            {found.map((page) => (
              <li
                key={page.path}
                id={`${listId}${page.path}`}
                role="option"
                aria-selected={page === chosen}
                className={styles.option}
                onClick={() => open(page)}
              >
                <Icon name={page.icon} />
                {page.label}
              </li>
            ))}
          </ul>
          {found.length === 0 && <p className={styles.none}>No page matches.</p>}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
