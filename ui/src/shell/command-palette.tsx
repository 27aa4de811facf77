/** The command palette: finds pages, models, users, keys, documents, requests, settings and actions, and opens them. */
import { Dialog } from '@base-ui/react/dialog'
import { useId, useState, type KeyboardEvent } from 'react'
import { Icon } from '../components/icon.tsx'
import { Input } from '../components/input.tsx'
import styles from './command-palette.module.css'
import { useChoices, type Choice } from './palette-choices.ts'

export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const listId = useId()
  const [search, setSearch] = useState('')
  const [active, setActive] = useState(0)
  const { choices: found, isLooking } = useChoices(search)
  const chosen = found[Math.min(active, found.length - 1)]

  function open(choice: Choice): void {
    onClose()
    choice.open()
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && found.length > 0) {
      const next = (Math.min(active, found.length - 1) + step + found.length) % found.length
      setActive(next)
      document.getElementById(`${listId}${found[next]?.id}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter' && chosen !== undefined) open(chosen)
    else return
    event.preventDefault()
  }

  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.shade} />
        <Dialog.Popup className={styles.palette} aria-label="Find anything">
          <Input
            role="combobox"
            aria-label="Find"
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={chosen && `${listId}${chosen.id}`}
            placeholder="Find a page, model, user, key, document, setting…"
            value={search}
            onKeyDown={onKeyDown}
            onChange={(event) => {
              setSearch(event.target.value)
              setActive(0)
            }}
          />
          <ul id={listId} role="listbox" aria-label="Found" className={styles.list}>
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
                <span className={styles.label}>{choice.label}</span>
                <span className={styles.kind}>{choice.kind}</span>
              </li>
            ))}
          </ul>
          {found.length === 0 && <p className={styles.none}>{isLooking ? 'Looking…' : 'Nothing matches.'}</p>}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
