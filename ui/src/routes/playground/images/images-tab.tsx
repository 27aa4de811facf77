/** The images tab: makes images from a text, or changes images as a text says. */
import { useId, useState } from 'react'
import type { UsableModel } from '../../../api/schema.d.ts'
import { buttonClass } from '../../../components/button.tsx'
import { durationText } from '../../../components/format.ts'
import { Field } from '../../../components/field.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Checkbox, Textarea } from '../../../components/input.tsx'
import { Notice } from '../../../components/notice.tsx'
import { NumberField, TextField } from '../../../components/text-field.tsx'
import { ModelPicker } from '../model-picker.tsx'
import { chosenModel, NoModelFor, RunForm } from '../run-form.tsx'
import tabStyles from '../run-tab.module.css'
import { useRun } from '../use-run.ts'
import styles from './images-tab.module.css'
import { SourceImages } from './source-images.tsx'
import { streamImages, type MadeImage, type MadeImages } from './stream-images.ts'

const sizes = ['1024x1024', '1536x1024', '1024x1536', '512x512', '256x256', 'auto']
const qualities = ['low', 'medium', 'high', 'standard', 'hd', 'auto']
const partialImages = 2

export interface ImagesTabProps {
  readonly models: readonly UsableModel[]
  readonly initialModel?: string | undefined
}

export function ImagesTab({ models, initialModel }: ImagesTabProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  const [prompt, setPrompt] = useState('')
  const [sources, setSources] = useState<readonly File[]>([])
  const [typed, setTyped] = useState({ size: '', quality: '', n: '' })
  const [partial, setPartial] = useState(false)
  const run = useRun<MadeImages>()
  const model = chosenModel(models, chosen, initialModel)
  if (model === null) return <NoModelFor what="image" icon="image" />
  const fields = {
    ...(typed.size.trim() !== '' && { size: typed.size.trim() }),
    ...(typed.quality.trim() !== '' && { quality: typed.quality.trim() }),
    ...(typed.n !== '' && { n: Number(typed.n) }),
  }
  const request = { model, prompt: prompt.trim(), sources, fields, partials: partial ? partialImages : 0 }
  return (
    <div className={tabStyles.tab}>
      <RunForm
        label="Images"
        submit={sources.length === 0 ? 'Make the image' : 'Change the image'}
        missing={prompt.trim() === '' ? 'Describe the image first.' : null}
        run={run}
        onRun={() => run.run((signal) => streamImages(request, signal))}
      >
        <Field label="Prompt">
          <Textarea
            rows={3}
            placeholder="A lighthouse in the fog, in the style of a woodcut"
            value={prompt}
            onChange={({ target }) => setPrompt(target.value)}
          />
        </Field>
        <SourceImages files={sources} onChange={setSources} />
        <div className={tabStyles.fields}>
          <ModelPicker label="Image model" models={models} value={model} onChange={setChosen} />
          <Suggested label="Size" values={sizes} value={typed.size} onChange={(size) => setTyped({ ...typed, size })} />
          <Suggested
            label="Quality"
            values={qualities}
            value={typed.quality}
            onChange={(quality) => setTyped({ ...typed, quality })}
          />
          <NumberField
            label="How many"
            min={1}
            max={10}
            placeholder="1"
            value={typed.n}
            onChange={(n) => setTyped({ ...typed, n })}
          />
        </div>
        <Checkbox
          label="Show the image while it is made (where the model can stream it)"
          checked={partial}
          onChange={({ target }) => setPartial(target.checked)}
        />
      </RunForm>
      {run.result !== null && <Images made={run.result} prompt={prompt} running={run.running} />}
    </div>
  )
}

interface SuggestedProps {
  readonly label: string
  readonly values: readonly string[]
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A text with suggestions: models differ in what they take. */
function Suggested({ label, values, value, onChange }: SuggestedProps) {
  const id = useId()
  return (
    <>
      <TextField label={label} list={id} placeholder="default" value={value} onChange={onChange} />
      <datalist id={id}>
        {values.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  )
}

interface ImagesProps {
  readonly made: MadeImages
  readonly prompt: string
  readonly running: boolean
}

function Images({ made: { images, isPartial, elapsedMs }, prompt, running }: ImagesProps) {
  if (images.length === 0)
    return (
      <Notice tone="warning">The model answered without an image that can be shown: PNG, JPEG, WebP or GIF.</Notice>
    )
  return (
    <>
      <p role="status" className={tabStyles.figures}>
        {isPartial
          ? running
            ? 'The image is being made…'
            : 'The image is not finished.'
          : `after ${durationText(elapsedMs)}`}
      </p>
      <ul className={styles.images} aria-label="Images" aria-busy={running}>
        {images.map((image, at) => (
          <ImageView key={at} image={image} name={`Image ${at + 1}: ${prompt}`} />
        ))}
      </ul>
    </>
  )
}

function ImageView({ image: { data, address, revised }, name }: { readonly image: MadeImage; readonly name: string }) {
  return (
    <li className={styles.image}>
      {data !== null && <img src={data} alt={name} />}
      {revised !== '' && <p className={styles.revised}>{revised}</p>}
      {data !== null && (
        <a
          className={buttonClass()}
          href={data}
          download={`image.${data.slice('data:image/'.length, data.indexOf(';'))}`}
        >
          <Icon name="download" />
          Save
        </a>
      )}
      {address !== null && (
        // Images of other places are not loaded: they would learn who looks.
        <a className={buttonClass()} href={address} target="_blank" rel="noopener noreferrer nofollow">
          Open at the provider
        </a>
      )}
    </li>
  )
}
