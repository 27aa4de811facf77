/** Reads a text aloud with POST /ai/v1/audio/speech. The sound is played from memory. */
import { useEffect, useId, useState } from 'react'
import { send } from '../../../api/client.ts'
import type { UsableModel } from '../../../api/schema.d.ts'
import { buttonClass } from '../../../components/button.tsx'
import { byteText, durationText } from '../../../components/format.ts'
import { Field } from '../../../components/field.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Select, Textarea } from '../../../components/input.tsx'
import { TextField } from '../../../components/text-field.tsx'
import { ModelPicker } from '../model-picker.tsx'
import { chosenModel, RunForm } from '../run-form.tsx'
import tabStyles from '../run-tab.module.css'
import { useRun } from '../use-run.ts'
import styles from './audio.module.css'

const voices = ['alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer']
/** The formats that browsers play, and their types. */
const formats = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
} as const
type Format = keyof typeof formats

interface Sound {
  /** An address in the memory of the page. */
  readonly url: string
  readonly format: Format
  readonly bytes: number
  readonly firstByteMs: number
  readonly tookMs: number
}

export interface AudioPartProps {
  /** The models that can do it; at least one. */
  readonly models: readonly UsableModel[]
  readonly initialModel?: string | undefined
}

export function Speech({ models, initialModel }: AudioPartProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  const [typed, setTyped] = useState({ input: 'Hello! This is what I sound like.', voice: 'alloy', instructions: '' })
  const [format, setFormat] = useState<Format>('mp3')
  const run = useRun<Sound>()
  const voicesId = useId()
  const model = chosenModel(models, chosen, initialModel) ?? ''
  const { result } = run
  useEffect(() => () => void (result !== null && URL.revokeObjectURL(result.url)), [result])
  const request = {
    model,
    input: typed.input,
    voice: typed.voice.trim(),
    response_format: format,
    ...(typed.instructions.trim() !== '' && { instructions: typed.instructions.trim() }),
  }
  return (
    <div className={tabStyles.tab}>
      <RunForm
        label="Text to speech"
        submit="Read aloud"
        missing={typed.input.trim() === '' ? 'Write a text first.' : null}
        run={run}
        onRun={() => run.run((signal) => speak(request, format, signal))}
      >
        <Field label="Text">
          <Textarea
            rows={3}
            value={typed.input}
            onChange={({ target }) => setTyped({ ...typed, input: target.value })}
          />
        </Field>
        <div className={tabStyles.fields}>
          <ModelPicker label="Speech model" models={models} value={model} onChange={setChosen} />
          <TextField
            label="Voice"
            list={voicesId}
            value={typed.voice}
            onChange={(voice) => setTyped({ ...typed, voice })}
          />
          <Field label="File format">
            <Select value={format} onChange={({ target }) => setFormat(target.value as Format)}>
              {Object.keys(formats).map((each) => (
                <option key={each}>{each}</option>
              ))}
            </Select>
          </Field>
          <TextField
            label="How to speak (optional)"
            placeholder="Slowly, as to a child"
            value={typed.instructions}
            onChange={(instructions) => setTyped({ ...typed, instructions })}
          />
        </div>
        <datalist id={voicesId}>
          {voices.map((voice) => (
            <option key={voice} value={voice} />
          ))}
        </datalist>
      </RunForm>
      {result !== null && <Player sound={result} />}
    </div>
  )
}

function Player({ sound: { url, format, bytes, firstByteMs, tookMs } }: { readonly sound: Sound }) {
  return (
    <div className={styles.player}>
      {/* The text that it says is in the form above. */}
      <audio key={url} controls src={url} aria-label="The spoken text" />
      <p role="status" className={tabStyles.figures}>
        {byteText(bytes)} · first sound after {durationText(firstByteMs)} · {durationText(tookMs)} in total
      </p>
      <a className={buttonClass()} href={url} download={`speech.${format}`}>
        <Icon name="download" />
        Save
      </a>
    </div>
  )
}

async function* speak(body: object, format: Format, signal: AbortSignal): AsyncGenerator<Sound> {
  const begunAt = performance.now()
  const response = await send('/ai/v1/audio/speech', {
    method: 'POST',
    signal,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const pieces: BlobPart[] = []
  let firstByteMs: number | null = null
  if (response.body !== null)
    for (let reader = response.body.getReader(), read = await reader.read(); !read.done; read = await reader.read()) {
      firstByteMs ??= performance.now() - begunAt
      pieces.push(read.value)
    }
  const tookMs = performance.now() - begunAt
  // The type is the one that was asked for, whatever the provider says: the page opens it as sound and as nothing else.
  const blob = new Blob(pieces, { type: formats[format] })
  const url = URL.createObjectURL(blob)
  yield { url, format, bytes: blob.size, firstByteMs: firstByteMs ?? tookMs, tookMs }
}
