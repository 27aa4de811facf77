/** The input for a question: text, and images that are chosen, pasted or dropped. Enter sends. */
import { useRef, useState, type KeyboardEvent } from 'react'
import { Button } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Textarea } from '../../../components/input.tsx'
import { imageProblem, imageTypes, readImage, transferredFiles } from '../images.ts'
import styles from './composer.module.css'
import type { AttachedImage, Question } from './conversation.ts'

export interface ComposerProps {
  readonly draft: string
  readonly onDraft: (text: string) => void
  readonly running: boolean
  readonly onAsk: (question: Question) => void
  readonly onStop: () => void
}

export function Composer({ draft, onDraft, running, onAsk, onStop }: ComposerProps) {
  const { images, problem, add, remove, clear } = useImages()
  const area = useRef<HTMLTextAreaElement>(null)
  const ready = !running && (draft.trim() !== '' || images.length > 0)
  function send(): void {
    if (!ready) return
    onAsk({ text: draft.trim(), images })
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
      {images.length > 0 && <Attached images={images} onRemove={remove} />}
      <Textarea
        ref={area}
        aria-label="Your message"
        className={styles.text ?? ''}
        placeholder="Ask a question. Enter sends, Shift+Enter adds a line."
        rows={Math.min(8, Math.max(2, draft.split('\n').length))}
        value={draft}
        onChange={(event) => onDraft(event.target.value)}
        data-first-field
        onKeyDown={(event) => {
          if (event.key === 'Escape' && running) onStop()
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
        <ImageButton onChoose={(files) => void add(files)} />
        <p role="status" className={styles.note}>
          {problem ?? ''}
        </p>
        {running ? (
          // Different keys make two elements: with one, the click that stops would also submit the form.
          <Button
            key="stop"
            onClick={() => {
              onStop()
              // The focused button disappears; the next question is typed here.
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

/** False while an input method composes a word: Enter then ends the word. */
function isSending({ key, shiftKey, nativeEvent }: KeyboardEvent): boolean {
  return key === 'Enter' && !shiftKey && !nativeEvent.isComposing
}

function ImageButton({ onChoose }: { readonly onChoose: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={imageTypes.join(',')}
        aria-label="Images"
        onChange={(event) => {
          onChoose([...(event.target.files ?? [])])
          // Allows choosing the same file again.
          event.target.value = ''
        }}
      />
      <Button
        variant="quiet"
        icon
        aria-label="Add images"
        title="Add images (or paste or drop them here)"
        onClick={() => input.current?.click()}
      >
        <Icon name="image" />
      </Button>
    </>
  )
}

interface AttachedProps {
  readonly images: readonly AttachedImage[]
  readonly onRemove: (at: number) => void
}

function Attached({ images, onRemove }: AttachedProps) {
  return (
    <ul className={styles.images}>
      {images.map(({ name, url }, at) => (
        <li key={at} className={styles.image}>
          <img src={url} alt={name} />
          <Button icon aria-label={`Remove ${name}`} className={styles.remove ?? ''} onClick={() => onRemove(at)}>
            <Icon name="close" size={12} />
          </Button>
        </li>
      ))}
    </ul>
  )
}

function useImages() {
  const [images, setImages] = useState<readonly AttachedImage[]>([])
  const [problem, setProblem] = useState<string | null>(null)
  async function add(files: readonly File[]): Promise<void> {
    const problems = files.map((file) => imageProblem(file))
    setProblem(problems.find((each) => each !== null) ?? null)
    try {
      const read = await Promise.all(files.filter((_, at) => problems[at] === null).map(readImage))
      setImages((before) => [...before, ...read])
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown.message : String(thrown))
    }
  }
  return {
    images,
    problem,
    add,
    remove: (at: number) => setImages((before) => before.filter((_, each) => each !== at)),
    clear: () => setImages([]),
  }
}
