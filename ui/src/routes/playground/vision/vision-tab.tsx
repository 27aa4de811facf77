/** The vision tab: one image and up to 20 prompts about it, answered in parallel. */
import { useState } from 'react'
import type { UsableModel } from '../../../api/schema.d.ts'
import { Button } from '../../../components/button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { countText } from '../../../components/format.ts'
import { Icon } from '../../../components/icon.tsx'
import { NumberField } from '../../../components/text-field.tsx'
import { ModelPicker } from '../model-picker.tsx'
import { ImageField } from './image-field.tsx'
import { PromptAnswerView } from './prompt-answer-view.tsx'
import { PromptRows, rowsOf, textsOf } from './prompt-rows.tsx'
import { useVision } from './use-vision.ts'
import styles from './vision-tab.module.css'

const firstPrompts = ['Describe this image in one sentence.', 'Which colours do you see?', 'Is there any text in it?']

export function VisionTab({ models }: { readonly models: readonly UsableModel[] }) {
  const [model, setModel] = useState<string | null>(null)
  const [image, setImage] = useState<File | null>(null)
  const [rows, setRows] = useState(() => rowsOf(firstPrompts))
  const [maxTokens, setMaxTokens] = useState('')
  const { answers, error, running, run, stop } = useVision()
  const chosen = models.find(({ name }) => name === model)?.name ?? models[0]?.name ?? null
  const prompts = textsOf(rows)
  const missing = image === null ? 'Choose an image first.' : prompts.length === 0 ? 'Write a prompt first.' : null

  if (chosen === null) {
    return (
      <EmptyState icon="image" title="No vision model">
        None of your models accepts images. Ask an administrator for access to a vision model.
      </EmptyState>
    )
  }

  function start(): void {
    if (image === null || chosen === null || prompts.length === 0) return
    const maxNewTokens = maxTokens.trim() === '' ? null : Number(maxTokens)
    run({ model: chosen, image, prompts, maxNewTokens })
  }
  return (
    <div className={styles.vision}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          start()
        }}
      >
        <ImageField file={image} onChange={setImage} />
        <div className={styles.fields}>
          <ModelPicker label="Vision model" models={models} value={chosen} onChange={setModel} />
          <NumberField label="Max new tokens" min={1} placeholder="128" value={maxTokens} onChange={setMaxTokens} />
        </div>
        <PromptRows rows={rows} onChange={setRows} />
        <div className={styles.bar}>
          {running ? (
            // Different keys make two elements: with one, the click that stops would also submit the form.
            <Button key="stop" onClick={stop}>
              <Icon name="stop" />
              Stop all
            </Button>
          ) : (
            <Button key="run" type="submit" variant="primary" disabled={missing !== null}>
              <Icon name="play" />
              Run {countText(prompts.length, 'prompt')}
            </Button>
          )}
          {missing !== null && <p className={styles.note}>{missing}</p>}
        </div>
      </form>
      {error !== null && <ErrorNotice error={error} onRetry={start} />}
      {answers.length > 0 && (
        <ol className={styles.answers} aria-label="Answers">
          {answers.map((answer, at) => (
            <PromptAnswerView key={at} answer={answer} place={at + 1} />
          ))}
        </ol>
      )}
    </div>
  )
}
