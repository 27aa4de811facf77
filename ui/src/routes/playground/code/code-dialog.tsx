/** Shows the next request as code. */
import { CodeTabs } from '../../../components/code-block.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { chatFields, type ChatSettings, type Efforts } from '../chat/chat-settings-values.ts'
import { messagesOf, type Turn } from '../chat/conversation.ts'
import { requestCode } from './request-code.ts'

export interface CodeDialogProps {
  readonly turns: readonly Turn[]
  readonly settings: ChatSettings
  readonly efforts: Efforts
  readonly model: string
  readonly draft: string
  readonly onClose: () => void
}

export function CodeDialog({ turns, settings, efforts, model, draft, onClose }: CodeDialogProps) {
  // Without a draft, the code sends the last question.
  const last = draft.trim() === '' ? turns.at(-1) : undefined
  const past = last === undefined ? turns : turns.slice(0, -1)
  const question = last?.question ?? { text: draft.trim() === '' ? 'Hello!' : draft.trim(), images: [] }
  const messages = messagesOf(settings.system, past, { lane: 0, question })
  const names = [...past.map((turn) => turn.question), question].flatMap(({ images }) => images.map(({ name }) => name))
  const samples = requestCode(chatFields(settings, efforts, { model, messages }), names, window.location.origin)
  return (
    <Dialog
      open
      onClose={onClose}
      size="large"
      title="This request as code"
      description={
        <>
          Put an API key into <code>SLUICE_API_KEY</code>. You create keys on the page API Keys.
          {settings.others.length > 0 &&
            ` For the other models, put ${settings.others.join(', ')} in place of ${model}.`}
        </>
      }
    >
      <CodeTabs label="Languages" samples={samples} />
    </Dialog>
  )
}
