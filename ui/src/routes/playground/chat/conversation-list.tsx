/** The conversations that this browser keeps: find, open, rename, delete, and all of them as a file. */
import { useState } from 'react'
import { Dialog } from '../../../components/dialog.tsx'
import { countText } from '../../../components/format.ts'
import { hasEveryWord } from '../../../components/has-every-word.ts'
import { Input } from '../../../components/input.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { useSession } from '../../../shell/use-session.ts'
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
import { KeptFiles, KeptList } from './kept-list.tsx'
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
  const [note, setNote] = useState('')
  const found = all.filter((each) => hasEveryWord(wordsOf(each), typed))
  const read = (): void => setAll(allConversations(localStorage, userId))

  function add(text: string, name: string): void {
    const count = importConversations(localStorage, userId, text)
    setNote(count === null ? `“${name}” holds no conversations.` : `Added ${countText(count, 'conversation')}.`)
    read()
  }

  function remove(id: string): void {
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
      actions={
        <KeptFiles of="conversations" text={all.length === 0 ? null : () => exportConversations(all)} onAdd={add} />
      }
    >
      <Input
        type="search"
        aria-label="Search the conversations"
        placeholder="Search"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <p role="status">{note || (found.length === 0 ? 'No conversations found.' : '')}</p>
      <KeptList
        label="Conversations"
        items={found.map((each) => ({
          id: each.id,
          title: titleOf(each),
          about: (
            <>
              {countText(each.turns.length, 'question')} · <RelativeTime at={new Date(each.at).toISOString()} />
            </>
          ),
          isCurrent: each.id === shownId(),
        }))}
        onOpen={(id) => {
          const chosen = found.find((each) => each.id === id)
          if (chosen !== undefined) chat.open(chosen)
          onClose()
        }}
        onRename={(id, name) => {
          renameConversation(localStorage, userId, id, name)
          read()
        }}
        onDelete={remove}
      />
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
