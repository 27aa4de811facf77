/** The chat tab: the conversation, the input, and the settings beside them. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import type { UsableModel } from '../../../api/schema.d.ts'
import { Button } from '../../../components/button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Icon } from '../../../components/icon.tsx'
import { LatePart } from '../../../components/late-part.tsx'
import { lazyPart } from '../../../components/lazy-part.tsx'
import { useSession } from '../../../shell/use-session.ts'
import { effortsQuery } from '../queries.ts'
import { ChatSettings } from './chat-settings.tsx'
import type { ChatSettings as Settings, Efforts } from './chat-settings-values.ts'
import styles from './chat-tab.module.css'
import { Composer } from './composer.tsx'
import type { Turn } from './conversation.ts'
import { storeDraft, takeDraft } from './stored-chat.ts'
import { TurnView } from './turn-view.tsx'
import { useChat, type ChatControl } from './use-chat.ts'

export interface ChatTabProps {
  /** The models for chats; at least one. */
  readonly models: readonly UsableModel[]
  /** The model to start with. */
  readonly initialModel?: string | undefined
}

// These load when their button is pressed.
const CodeDialog = lazyPart(() => import('../code/code-dialog.tsx'), 'CodeDialog')
const ConversationList = lazyPart(() => import('./conversation-list.tsx'), 'ConversationList')

const noEfforts: Efforts = new Map()

export function ChatTab({ models, initialModel }: ChatTabProps) {
  const { user } = useSession()
  const efforts: Efforts = useQuery(effortsQuery).data ?? noEfforts
  const chosen = (settings: Settings): readonly string[] => chosenModels(settings, models)
  const chat = useChat({ userId: user.id, models: chosen, efforts })
  const [draft, setDraft] = useState('')
  // In an effect: rendering may be repeated, and the draft is given once.
  useEffect(() => setDraft((before) => takeDraft() || before), [])
  useEffect(() => storeDraft(draft), [draft])
  const [settingsOpen, setSettingsOpen] = useState(() => window.matchMedia('(min-width: 1080px)').matches)
  const settingsId = useId()
  const { turns, running, change } = chat
  const [model = '', second = null] = chosen(chat.settings)
  const settings = { ...chat.settings, model, second }
  useEffect(() => {
    if (initialModel !== undefined && models.some(({ name }) => name === initialModel)) change({ model: initialModel })
    // Once for each address: a later choice must stay.
  }, [initialModel])
  return (
    <div className={settingsOpen ? styles.chat : styles.alone}>
      <div className={styles.main}>
        <Tools chat={chat} settings={settings} efforts={efforts} draft={draft}>
          <Button
            aria-expanded={settingsOpen}
            aria-controls={settingsId}
            onClick={() => setSettingsOpen(!settingsOpen)}
          >
            <Icon name="settings" />
            Settings
          </Button>
        </Tools>
        {settingsOpen && (
          <div className={styles.side}>
            <ChatSettings
              id={settingsId}
              settings={settings}
              models={models}
              efforts={effortsOf(settings, efforts)}
              onChange={change}
            />
          </div>
        )}
        <Conversation chat={chat} isPracticeModel={model.startsWith('demo')} onSuggestion={setDraft} />
        <div className={styles.composer}>
          <Composer draft={draft} onDraft={setDraft} running={running} onAsk={chat.ask} onStop={chat.stop} />
        </div>
        <FollowEnd turns={turns} />
      </div>
    </div>
  )
}

/** The chosen models that the user can still use; otherwise the first model. */
function chosenModels({ model, second }: Settings, models: readonly UsableModel[]): readonly string[] {
  const usable = (name: string | null): name is string => models.some((each) => each.name === name)
  const first = usable(model) ? model : (models[0]?.name ?? '')
  return usable(second) ? [first, second] : [first]
}

function effortsOf({ model, second }: Settings, efforts: Efforts): readonly string[] {
  return [...new Set([model, second].flatMap((name) => (name === null ? [] : (efforts.get(name) ?? []))))]
}

interface ToolsProps {
  readonly chat: ChatControl
  readonly settings: Settings
  readonly efforts: Efforts
  readonly draft: string
  readonly children: React.ReactNode
}

function Tools({ chat, settings, efforts, draft, children }: ToolsProps) {
  const [opened, setOpened] = useState<'code' | 'list' | null>(null)
  const close = (): void => setOpened(null)
  const { turns } = chat
  return (
    <div className={styles.tools}>
      <p className={styles.models}>{[settings.model, settings.second].filter(Boolean).join(' and ')}</p>
      {children}
      <Button onClick={() => setOpened('code')}>
        <Icon name="code" />
        Code
      </Button>
      <Button onClick={() => setOpened('list')}>
        <Icon name="list" />
        Conversations
      </Button>
      <Button disabled={turns.length === 0} onClick={chat.clear}>
        <Icon name="plus" />
        New
      </Button>
      <LatePart onClose={close}>
        {opened === 'code' && (
          <CodeDialog
            turns={turns}
            settings={settings}
            efforts={efforts}
            model={settings.model ?? ''}
            draft={draft}
            onClose={close}
          />
        )}
        {opened === 'list' && <ConversationList chat={chat} onClose={close} />}
      </LatePart>
    </div>
  )
}

const suggestions = ['Hello! What can you do?', 'Explain server-sent events in three sentences.', '/long 200 /pace 20']

interface ConversationProps {
  readonly chat: ChatControl
  /** The model is a practice model, which supports directives in the prompt. */
  readonly isPracticeModel: boolean
  readonly onSuggestion: (text: string) => void
}

function Conversation({ chat, isPracticeModel, onSuggestion }: ConversationProps) {
  const { turns, running } = chat
  if (turns.length === 0) {
    return (
      <EmptyState
        icon="chat"
        title="Ask a model"
        action={
          <div className={styles.suggestions}>
            {suggestions.slice(0, isPracticeModel ? 3 : 2).map((text) => (
              <Button key={text} onClick={() => onSuggestion(text)}>
                {text}
              </Button>
            ))}
          </div>
        }
      >
        Type below, paste an image, or start with a suggestion. This browser keeps the conversation.
      </EmptyState>
    )
  }
  return (
    <ol className={styles.turns} aria-label="Conversation">
      {turns.map((turn, at) => {
        const isOpen = at === turns.length - 1 && !running
        return (
          <TurnView
            key={turn.id}
            turn={turn}
            onAskEdited={isOpen ? chat.askEdited : undefined}
            onRegenerate={isOpen ? chat.regenerate : undefined}
          />
        )
      })}
    </ol>
  )
}

/** Scrolls to the end while the conversation grows, unless the reader has scrolled up. */
function FollowEnd({ turns }: { readonly turns: readonly Turn[] }) {
  const follows = useRef(true)
  const turnCount = useRef(turns.length)
  useEffect(() => {
    const onScroll = (): void => {
      const { scrollHeight, clientHeight, scrollTop } = document.documentElement
      follows.current = scrollHeight - clientHeight - scrollTop < 48
    }
    window.addEventListener('scroll', onScroll, { passive: true })
    return () => window.removeEventListener('scroll', onScroll)
  }, [])
  useEffect(() => {
    const isNew = turns.length > turnCount.current
    turnCount.current = turns.length
    if (turns.length > 0 && (follows.current || isNew)) window.scrollTo({ top: document.documentElement.scrollHeight })
  }, [turns])
  return null
}
