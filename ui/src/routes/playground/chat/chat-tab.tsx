/** The chat tab: the conversation, the input, and beside them the settings or a source. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import type { UsableModel } from '../../../api/schema.d.ts'
import type { Citation } from '../../../api/stream-chat.ts'
import { Button } from '../../../components/button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Icon } from '../../../components/icon.tsx'
import { LatePart } from '../../../components/late-part.tsx'
import { lazyPart } from '../../../components/lazy-part.tsx'
import { useSession } from '../../../shell/use-session.ts'
import { effortsQuery } from '../queries.ts'
import { nameOf } from '../answer/sources.tsx'
import { ChatSettings } from './chat-settings.tsx'
import { comparedMax, type ChatSettings as Settings, type Efforts } from './chat-settings-values.ts'
import styles from './chat-tab.module.css'
import { Composer } from './composer.tsx'
import { FollowEnd } from './follow-end.tsx'
import { storeDraft, takeDraft } from './stored-chat.ts'
import { AnswerView, TurnView } from './turn-view.tsx'
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
const PresetList = lazyPart(() => import('./preset-list.tsx'), 'PresetList')
const SourcePanel = lazyPart(() => import('../source/source-panel.tsx'), 'SourcePanel')

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
  useEffect(() => void AnswerView.preload(), [])
  const [settingsOpen, setSettingsOpen] = useState(hasRoomBeside)
  const [source, setSource] = useState<Citation | null>(null)
  const sourceBeside = source !== null && hasRoomBeside()
  const settingsShown = settingsOpen && !sourceBeside
  const settingsId = useId()
  const { turns, running, change } = chat
  const [model = '', ...others] = chosen(chat.settings)
  const settings = { ...chat.settings, model, others }
  useEffect(() => {
    if (initialModel !== undefined && models.some(({ name }) => name === initialModel)) change({ model: initialModel })
    // Once for each address: a later choice must stay.
  }, [initialModel])
  return (
    <div className={sourceBeside ? styles.cited : settingsShown ? styles.chat : styles.alone}>
      <div className={styles.main}>
        <Tools chat={chat} settings={settings} efforts={efforts} draft={draft}>
          <Button
            aria-expanded={settingsShown}
            aria-controls={settingsShown ? settingsId : undefined}
            onClick={() => {
              setSettingsOpen(!settingsShown)
              if (sourceBeside) setSource(null)
            }}
          >
            <Icon name="settings" />
            Settings
          </Button>
        </Tools>
        {source !== null && (
          <div className={sourceBeside ? styles.side : undefined}>
            <LatePart onClose={() => setSource(null)}>
              <SourcePanel
                title={`Source ${source.index}: ${nameOf(source)}`}
                passage={source}
                beside={sourceBeside}
                onClose={() => setSource(null)}
              />
            </LatePart>
          </div>
        )}
        {settingsShown && (
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
        <Conversation
          chat={chat}
          isPracticeModel={model.startsWith('demo')}
          onSuggestion={setDraft}
          onSource={setSource}
        />
        <div className={styles.composer}>
          <Composer draft={draft} onDraft={setDraft} running={running} onAsk={chat.ask} onStop={chat.stop} />
        </div>
        <FollowEnd count={turns.length} running={running} />
      </div>
    </div>
  )
}

/** Beside the conversation; over it or above it in a narrower window. */
function hasRoomBeside(): boolean {
  return window.matchMedia('(min-width: 1080px)').matches
}

/** The chosen models that the user can still use; otherwise the first model. */
function chosenModels({ model, others }: Settings, models: readonly UsableModel[]): readonly string[] {
  const usable = (name: string | null): name is string => models.some((each) => each.name === name)
  const first = usable(model) ? model : (models[0]?.name ?? '')
  return [first, ...others.filter(usable).slice(0, comparedMax - 1)]
}

function effortsOf({ model, others }: Settings, efforts: Efforts): readonly string[] {
  return [...new Set([model, ...others].flatMap((name) => (name === null ? [] : (efforts.get(name) ?? []))))]
}

interface ToolsProps {
  readonly chat: ChatControl
  readonly settings: Settings
  readonly efforts: Efforts
  readonly draft: string
  readonly children: React.ReactNode
}

function Tools({ chat, settings, efforts, draft, children }: ToolsProps) {
  const [opened, setOpened] = useState<'code' | 'list' | 'presets' | null>(null)
  const close = (): void => setOpened(null)
  const { turns } = chat
  return (
    <div className={styles.tools}>
      <p className={styles.models}>{[settings.model, ...settings.others].filter(Boolean).join(', ')}</p>
      {children}
      <Button onClick={() => setOpened('code')}>
        <Icon name="code" />
        Code
      </Button>
      <Button onClick={() => setOpened('presets')}>
        <Icon name="layers" />
        Presets
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
        {opened === 'presets' && <PresetList settings={settings} onChoose={chat.change} onClose={close} />}
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
  readonly onSource: (citation: Citation) => void
}

function Conversation({ chat, isPracticeModel, onSuggestion, onSource }: ConversationProps) {
  const { turns, running, settings } = chat
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
            tools={settings.tools}
            onSource={onSource}
            onAskEdited={isOpen ? chat.askEdited : undefined}
            onRegenerate={isOpen ? chat.regenerate : undefined}
            onResults={isOpen ? chat.answerCalls : undefined}
          />
        )
      })}
    </ol>
  )
}
