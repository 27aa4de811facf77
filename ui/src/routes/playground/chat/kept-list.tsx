/** A list of what this browser keeps: open, rename, delete, and all of it as a file. */
import { useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Input } from '../../../components/input.tsx'
import { downloadText } from '../../usage/download-csv.ts'
import styles from './kept-list.module.css'

export interface KeptItem {
  readonly id: string
  readonly title: string
  readonly about: React.ReactNode
  readonly isCurrent: boolean
}

export interface KeptListProps {
  readonly label: string
  readonly items: readonly KeptItem[]
  readonly onOpen: (id: string) => void
  readonly onRename: (id: string, name: string) => void
  readonly onDelete: (id: string) => void
}

export function KeptList({ label, items, onOpen, onRename, onDelete }: KeptListProps) {
  const [renamed, setRenamed] = useState<string | null>(null)
  return (
    <ul className={styles.list} aria-label={label}>
      {items.map((item) => (
        <li key={item.id} className={styles.item}>
          {renamed === item.id ? (
            <NameForm
              name={item.title}
              onEnd={(name) => {
                if (name !== null) onRename(item.id, name)
                setRenamed(null)
              }}
            />
          ) : (
            <Row
              item={item}
              onOpen={() => onOpen(item.id)}
              onRename={() => setRenamed(item.id)}
              onDelete={() => onDelete(item.id)}
            />
          )}
        </li>
      ))}
    </ul>
  )
}

interface RowProps {
  readonly item: KeptItem
  readonly onOpen: () => void
  readonly onRename: () => void
  readonly onDelete: () => void
}

function Row({ item: { title, about, isCurrent }, onOpen, onRename, onDelete }: RowProps) {
  const [asked, setAsked] = useState(false)
  return (
    <>
      <button type="button" className={styles.open} aria-current={isCurrent || undefined} onClick={onOpen}>
        <span className={styles.title}>{title}</span>
        <span className={styles.about}>{about}</span>
      </button>
      <Button variant="quiet" icon aria-label={`Rename ${title}`} title="Rename" onClick={onRename}>
        <Icon name="edit" />
      </Button>
      {asked ? (
        <Button
          variant="danger"
          autoFocus
          aria-label={`Really delete ${title}`}
          onClick={onDelete}
          onBlur={() => setAsked(false)}
        >
          Delete?
        </Button>
      ) : (
        <Button variant="quiet" icon aria-label={`Delete ${title}`} title="Delete" onClick={() => setAsked(true)}>
          <Icon name="trash" />
        </Button>
      )}
    </>
  )
}

interface NameFormProps {
  readonly name: string
  readonly label?: string
  /** Escape is for the dialog around it. */
  readonly staysOpen?: boolean
  /** Null when it was given up. */
  readonly onEnd: (name: string | null) => void
}

export function NameForm({ name, label = 'Name', staysOpen = false, onEnd }: NameFormProps) {
  const [typed, setTyped] = useState(name)
  return (
    <form
      className={styles.name}
      onSubmit={(event) => {
        event.preventDefault()
        onEnd(typed)
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || staysOpen) return
        // Only the name is given up, not the dialog.
        event.stopPropagation()
        onEnd(null)
      }}
    >
      <Input
        autoFocus
        aria-label={label}
        placeholder={label}
        maxLength={200}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Button type="submit">Save</Button>
    </form>
  )
}

interface KeptFilesProps {
  /** What the file is called: "presets". */
  readonly of: string
  /** The file; null when there is nothing to export. */
  readonly text: (() => string) | null
  readonly onAdd: (text: string, name: string) => void
}

export function KeptFiles({ of, text, onAdd }: KeptFilesProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        accept="application/json"
        aria-label={`File of ${of}`}
        onChange={(event) => {
          const [file] = event.target.files ?? []
          if (file !== undefined) void file.text().then((read) => onAdd(read, file.name))
          event.target.value = ''
        }}
      />
      <Button onClick={() => input.current?.click()}>
        <Icon name="upload" />
        Import
      </Button>
      <Button
        disabled={text === null}
        onClick={() => text !== null && downloadText(`${of}.json`, text(), 'application/json')}
      >
        <Icon name="download" />
        Export
      </Button>
    </>
  )
}
