/** The conversations that this browser keeps: find, open, rename, delete, and all of them as a file. */
import { useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { countText } from '../../../components/format.ts'
import { hasEveryWord } from '../../../components/has-every-word.ts'
import { Icon } from '../../../components/icon.tsx'
import { Input } from '../../../components/input.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { useSession } from '../../../shell/use-session.ts'
import { downloadText } from '../../usage/download-csv.ts'
import styles from './conversation-list.module.css'
import {
  allConversations,
  deleteConversation,
  exportConversations,
  importConversations,
  keptMax,
  renameConversation,
  titleOf,
  type Conversation,
} from './conversations.ts'
import { shownId } from './stored-chat.ts'
import type { ChatControl } from './use-chat.ts'

export interface ConversationListProps {
  readonly chat: ChatControl
  readonly onClose: () => void
}

export function ConversationList({ chat, onClose }: ConversationListProps) {
  const { id: userId } = useSession().user
  const [all, setAll] = useState(() => allConversations(localStorage, userId))
  const [typed, setTyped] = useState('')
  const [renamed, setRenamed] = useState<string | null>(null)
  const [note, setNote] = useState('')
  const found = all.filter((each) => hasEveryWord(wordsOf(each), typed))
  const read = (): void => setAll(allConversations(localStorage, userId))

  async function add(file: File): Promise<void> {
    const count = importConversations(localStorage, userId, await file.text())
    setNote(count === null ? `“${file.name}” holds no conversations.` : `Added ${countText(count, 'conversation')}.`)
    read()
  }

  function remove({ id }: Conversation): void {
    // Otherwise the tab would keep it again.
    if (id === shownId()) chat.clear()
    deleteConversation(localStorage, userId, id)
    read()
  }

  return (
    <Dialog
      open
      onClose={onClose}
      placement="side"
      title="Conversations"
      description={`This browser keeps your newest ${keptMax}, without images. They are not on the server.`}
      actions={<Files all={all} onAdd={(file) => void add(file)} />}
    >
      <Input
        type="search"
        aria-label="Search the conversations"
        placeholder="Search"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <p role="status">{note || (found.length === 0 ? 'No conversations found.' : '')}</p>
      <ul className={styles.list} aria-label="Conversations">
        {found.map((each) => (
          <li key={each.id} className={styles.item}>
            {renamed === each.id ? (
              <NameForm
                name={titleOf(each)}
                onEnd={(name) => {
                  if (name !== null) renameConversation(localStorage, userId, each.id, name)
                  setRenamed(null)
                  read()
                }}
              />
            ) : (
              <Row
                conversation={each}
                onOpen={() => {
                  chat.open(each)
                  onClose()
                }}
                onRename={() => setRenamed(each.id)}
                onDelete={() => remove(each)}
              />
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function wordsOf(conversation: Conversation): readonly string[] {
  return [
    conversation.name,
    ...conversation.turns.flatMap(({ question, answers }) => [
      question.text,
      ...answers.map(({ progress }) => progress.text),
    ]),
  ]
}

interface RowProps {
  readonly conversation: Conversation
  readonly onOpen: () => void
  readonly onRename: () => void
  readonly onDelete: () => void
}

function Row({ conversation, onOpen, onRename, onDelete }: RowProps) {
  const title = titleOf(conversation)
  const [asked, setAsked] = useState(false)
  return (
    <>
      <button
        type="button"
        className={styles.open}
        aria-current={conversation.id === shownId() || undefined}
        onClick={onOpen}
      >
        <span className={styles.title}>{title}</span>
        <span className={styles.about}>
          {countText(conversation.turns.length, 'question')} ·{' '}
          <RelativeTime at={new Date(conversation.at).toISOString()} />
        </span>
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

function NameForm({ name, onEnd }: { readonly name: string; readonly onEnd: (name: string | null) => void }) {
  const [typed, setTyped] = useState(name)
  return (
    <form
      className={styles.name}
      onSubmit={(event) => {
        event.preventDefault()
        onEnd(typed)
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        // Only the name is given up, not the dialog.
        event.stopPropagation()
        onEnd(null)
      }}
    >
      <Input
        autoFocus
        aria-label="Name"
        maxLength={200}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Button type="submit">Save</Button>
    </form>
  )
}

function Files({ all, onAdd }: { readonly all: readonly Conversation[]; readonly onAdd: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        accept="application/json"
        aria-label="File of conversations"
        onChange={(event) => {
          const [file] = event.target.files ?? []
          if (file !== undefined) onAdd(file)
          event.target.value = ''
        }}
      />
      <Button onClick={() => input.current?.click()}>
        <Icon name="upload" />
        Import
      </Button>
      <Button
        disabled={all.length === 0}
        onClick={() => downloadText('conversations.json', exportConversations(all), 'application/json')}
      >
        <Icon name="download" />
        Export
      </Button>
    </>
  )
}
