/** The audio tab: reads texts aloud, and writes down what is said. */
import type { UsableModel } from '../../../api/schema.d.ts'
import { modelsWith } from '../../../api/model-capabilities.ts'
import { NoModelFor } from '../run-form.tsx'
import tabStyles from '../run-tab.module.css'
import { Speech } from './speech.tsx'
import { Transcription } from './transcription.tsx'

export interface AudioTabProps {
  readonly models: readonly UsableModel[]
  readonly initialModel?: string | undefined
}

export function AudioTab({ models, initialModel }: AudioTabProps) {
  const speakers = modelsWith(models, 'audio/speech')
  const writers = modelsWith(models, 'audio/transcriptions')
  return (
    <div className={tabStyles.tab}>
      <section aria-label="Text to speech">
        <h2>Text to speech</h2>
        {speakers.length === 0 ? (
          <NoModelFor what="speech" icon="play" />
        ) : (
          <Speech models={speakers} initialModel={initialModel} />
        )}
      </section>
      <section aria-label="Speech to text">
        <h2>Speech to text</h2>
        {writers.length === 0 ? (
          <NoModelFor what="transcription" icon="edit" />
        ) : (
          <Transcription models={writers} initialModel={initialModel} />
        )}
      </section>
    </div>
  )
}
