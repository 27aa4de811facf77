/** The command palette: opens a page by its name, and a request by its id. */
import { Dialog } from '@base-ui/react/dialog'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState, type KeyboardEvent } from 'react'
import { Icon, type IconName } from '../components/icon.tsx'
import { Input } from '../components/input.tsx'
import styles from './command-palette.module.css'
import { pages } from './pages.ts'
import { useIsAdmin } from './use-session.ts'

interface Choice {
  readonly id: string
  readonly icon: IconName
  readonly label: string
  readonly open: () => void
}

/** What may be a request id: one that Sluice made, or a client's own with a digit in it. */
const requestId = /^(?=.*\d)[\w.:-]{8,128}$/

export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const isAdmin = useIsAdmin()
  const navigate = useNavigate()
  const listId = useId()
  const [search, setSearch] = useState('')
  const [active, setActive] = useState(0)
  const text = search.trim()
  const named: readonly Choice[] = pages
    .filter((page) => (page.admin === undefined || isAdmin) && page.label.toLowerCase().includes(text.toLowerCase()))
    .map(({ path, icon, label }) => ({ id: path, icon, label, open: () => void navigate({ to: path }) }))
  const found = requestId.test(text) ? [...named, requestChoice(text)] : named
  const chosen = found[Math.min(active, found.length - 1)]

  function requestChoice(id: string): Choice {
    return {
      id: 'request',
      icon: 'list',
      label: `Request ${id}`,
      open: () => void navigate({ to: '/requests/$id', params: { id } }),
    }
  }

  function open(choice: Choice): void {
    onClose()
    choice.open()
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
            aria-activedescendant={chosen && `${listId}${chosen.id}`}
            placeholder="Go to a page, or paste a request id"
            value={search}
            onKeyDown={onKeyDown}
            onChange={(event) => {
              setSearch(event.target.value)
              setActive(0)
            }}
          />
          <ul id={listId} role="listbox" aria-label="Pages" className={styles.list}>
            {found.map((choice) => (
              <li
                key={choice.id}
                id={`${listId}${choice.id}`}
                role="option"
                aria-selected={choice === chosen}
                className={styles.option}
                onClick={() => open(choice)}
              >
                <Icon name={choice.icon} />
                {choice.label}
              </li>
            ))}
          </ul>
          {found.length === 0 && <p className={styles.none}>No page matches.</p>}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
