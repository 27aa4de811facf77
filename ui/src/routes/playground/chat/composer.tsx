/** Where a question is written: text, and pictures that are chosen, pasted or dropped. Enter sends. */
import { useRef, useState, type KeyboardEvent } from 'react'
import { Button } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Textarea } from '../../../components/input.tsx'
import { pictureProblem, pictureTypes, readPicture, transferredFiles } from '../pictures.ts'
import styles from './composer.module.css'
import type { Picture, Question } from './conversation.ts'

export interface ComposerProps {
  readonly draft: string
  readonly onDraft: (text: string) => void
  readonly running: boolean
  readonly onAsk: (question: Question) => void
  readonly onStop: () => void
}

export function Composer({ draft, onDraft, running, onAsk, onStop }: ComposerProps) {
  const { pictures, problem, add, remove, clear } = usePictures()
  const area = useRef<HTMLTextAreaElement>(null)
  const ready = !running && (draft.trim() !== '' || pictures.length > 0)
  function send(): void {
    if (!ready) return
    onAsk({ text: draft.trim(), pictures })
    onDraft('')
    clear()
  }
  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        void add(transferredFiles(event.dataTransfer))
      }}
    >
      {pictures.length > 0 && <Attached pictures={pictures} onRemove={remove} />}
      <Textarea
        ref={area}
        aria-label="Your message"
        className={styles.text ?? ''}
        placeholder="Ask something. Enter sends, Shift+Enter starts a line."
        rows={Math.min(8, Math.max(2, draft.split('\n').length))}
        value={draft}
        onChange={(event) => onDraft(event.target.value)}
        onKeyDown={(event) => {
          if (!isSending(event)) return
          event.preventDefault()
          send()
        }}
        onPaste={(event) => {
          const files = transferredFiles(event.clipboardData)
          if (files.length === 0) return
          event.preventDefault()
          void add(files)
        }}
      />
      <div className={styles.bar}>
        <PictureButton onChoose={(files) => void add(files)} />
        <p role="status" className={styles.note}>
          {problem ?? ''}
        </p>
        {running ? (
          // Two elements by their keys: of one, the press that stops would send the form as well.
          <Button
            key="stop"
            onClick={() => {
              onStop()
              // The button is gone, and the next question comes here.
              area.current?.focus()
            }}
          >
            <Icon name="stop" />
            Stop
          </Button>
        ) : (
          <Button key="send" type="submit" variant="primary" disabled={!ready}>
            <Icon name="play" />
            Send
          </Button>
        )}
      </div>
    </form>
  )
}

/** Not while an input method composes a word, where Enter ends the word. */
function isSending({ key, shiftKey, nativeEvent }: KeyboardEvent): boolean {
  return key === 'Enter' && !shiftKey && !nativeEvent.isComposing
}

function PictureButton({ onChoose }: { readonly onChoose: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={pictureTypes.join(',')}
        aria-label="Pictures"
        onChange={(event) => {
          onChoose([...(event.target.files ?? [])])
          // The same file can be chosen again.
          event.target.value = ''
        }}
      />
      <Button
        variant="quiet"
        icon
        aria-label="Add pictures"
        title="Add pictures (or paste, or drop them here)"
        onClick={() => input.current?.click()}
      >
        <Icon name="picture" />
      </Button>
    </>
  )
}

interface AttachedProps {
  readonly pictures: readonly Picture[]
  readonly onRemove: (at: number) => void
}

function Attached({ pictures, onRemove }: AttachedProps) {
  return (
    <ul className={styles.pictures}>
      {pictures.map(({ name, url }, at) => (
        <li key={at} className={styles.picture}>
          <img src={url} alt={name} />
          <Button icon aria-label={`Remove ${name}`} className={styles.remove ?? ''} onClick={() => onRemove(at)}>
            <Icon name="close" size={12} />
          </Button>
        </li>
      ))}
    </ul>
  )
}

function usePictures() {
  const [pictures, setPictures] = useState<readonly Picture[]>([])
  const [problem, setProblem] = useState<string | null>(null)
  async function add(files: readonly File[]): Promise<void> {
    const problems = files.map((file) => pictureProblem(file))
    setProblem(problems.find((each) => each !== null) ?? null)
    try {
      const read = await Promise.all(files.filter((_, at) => problems[at] === null).map(readPicture))
      setPictures((before) => [...before, ...read])
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown.message : String(thrown))
    }
  }
  return {
    pictures,
    problem,
    add,
    remove: (at: number) => setPictures((before) => before.filter((_, each) => each !== at)),
    clear: () => setPictures([]),
  }
}
