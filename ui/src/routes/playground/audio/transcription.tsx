/** Writes down what is said, with POST /ai/v1/audio/transcriptions, or in English with /audio/translations. */
import { useRef, useState } from 'react'
import { send } from '../../../api/client.ts'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { byteText, durationText } from '../../../components/format.ts'
import { Field, FieldGroup } from '../../../components/field.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Select } from '../../../components/input.tsx'
import { TextField } from '../../../components/text-field.tsx'
import { ModelPicker } from '../model-picker.tsx'
import { chosenModel, RunForm } from '../run-form.tsx'
import tabStyles from '../run-tab.module.css'
import { useRun } from '../use-run.ts'
import styles from './audio.module.css'
import type { AudioPartProps } from './speech.tsx'
import { useRecorder } from './use-recorder.ts'

const formats = { text: 'text', srt: 'subtitles (SRT)', vtt: 'subtitles (WebVTT)', json: 'JSON' } as const
type Format = keyof typeof formats

const tasks = { transcriptions: 'as it is said', translations: 'in English' } as const
type Task = keyof typeof tasks

interface Written {
  readonly text: string
  readonly tookMs: number
}

export function Transcription({ models, initialModel }: AudioPartProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  const [file, setFile] = useState<File | null>(null)
  const [language, setLanguage] = useState('')
  const [format, setFormat] = useState<Format>('json')
  const [task, setTask] = useState<Task>('transcriptions')
  const run = useRun<Written>()
  const model = chosenModel(models, chosen, initialModel) ?? ''
  function start(): void {
    if (file === null) return
    const form = new FormData()
    // The model first: the gateway then knows at once where the rest goes.
    form.append('model', model)
    form.append('response_format', format)
    if (language.trim() !== '' && task === 'transcriptions') form.append('language', language.trim())
    form.append('file', file)
    run.run((signal) => write(task, form, signal))
  }
  return (
    <div className={tabStyles.tab}>
      <RunForm
        label="Speech to text"
        submit="Write it down"
        missing={file === null ? 'Choose or record a sound first.' : null}
        run={run}
        onRun={start}
      >
        <SoundField file={file} onChange={setFile} />
        <div className={tabStyles.fields}>
          <ModelPicker label="Transcription model" models={models} value={model} onChange={setChosen} />
          <Choice label="Write" choices={tasks} value={task} onChange={setTask} />
          <Choice label="Answer as" choices={formats} value={format} onChange={setFormat} />
          {task === 'transcriptions' && (
            <TextField label="Language (optional)" placeholder="en" value={language} onChange={setLanguage} />
          )}
        </div>
      </RunForm>
      {run.result !== null && <Text written={run.result} />}
    </div>
  )
}

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly choices: Readonly<Record<Value, string>>
  readonly value: Value
  readonly onChange: (value: Value) => void
}

function Choice<Value extends string>({ label, choices, value, onChange }: ChoiceProps<Value>) {
  return (
    <Field label={label}>
      <Select value={value} onChange={({ target }) => onChange(target.value as Value)}>
        {Object.entries<string>(choices).map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </Select>
    </Field>
  )
}

interface SoundFieldProps {
  readonly file: File | null
  readonly onChange: (file: File) => void
}

function SoundField({ file, onChange }: SoundFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  const { isPossible, recording, problem, start, stop } = useRecorder(onChange)
  return (
    <FieldGroup label="Sound" error={problem}>
      <input
        ref={input}
        type="file"
        hidden
        accept="audio/*,video/mp4,video/webm"
        aria-label="Sound"
        onChange={({ target }) => {
          const [chosen] = target.files ?? []
          if (chosen !== undefined) onChange(chosen)
          // Allows choosing the same file again.
          target.value = ''
        }}
      />
      <div className={styles.row}>
        <Button onClick={() => input.current?.click()}>
          <Icon name="upload" />
          Choose a file
        </Button>
        {isPossible && (
          <Button onClick={recording ? stop : start}>
            <Icon name={recording ? 'stop' : 'play'} />
            {recording ? 'End the recording' : 'Record'}
          </Button>
        )}
        <span role="status" className={styles.file}>
          {recording ? 'Recording…' : file === null ? '' : `${file.name}, ${byteText(file.size)}`}
        </span>
      </div>
    </FieldGroup>
  )
}

function Text({ written: { text, tookMs } }: { readonly written: Written }) {
  return (
    <div className={styles.written}>
      <div className={styles.row}>
        <p role="status" className={tabStyles.figures}>
          after {durationText(tookMs)}
        </p>
        <CopyButton text={text} what="text" />
      </div>
      <p className={styles.text}>{text === '' ? 'Nothing was understood.' : text}</p>
    </div>
  )
}

async function* write(task: Task, form: FormData, signal: AbortSignal): AsyncGenerator<Written> {
  const begunAt = performance.now()
  const response = await send(`/ai/v1/audio/${task}`, { method: 'POST', signal, body: form })
  const text = await response.text()
  yield { text: textOfAnswer(text), tookMs: performance.now() - begunAt }
}

/** The text of a JSON answer; other answers are text themselves. */
function textOfAnswer(answer: string): string {
  try {
    const parsed: unknown = JSON.parse(answer)
    const text = typeof parsed === 'object' && parsed !== null && 'text' in parsed ? parsed.text : null
    return typeof text === 'string' ? text : answer
  } catch {
    return answer
  }
}
