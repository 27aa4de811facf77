/** The options of processing: reader, chunker, embedder. The section is closed at first; the server's defaults apply. */
import { useQuery } from '@tanstack/react-query'
import { ownModelsQuery } from '../../../api/queries.ts'
import type { DocumentOptions, UsableModel } from '../../../api/schema.d.ts'
import { Field } from '../../../components/field.tsx'
import { Select } from '../../../components/input.tsx'
import { NumberField } from '../../../components/text-field.tsx'
import styles from './processing-fields.module.css'
import type { ImportOptions } from './import-options.ts'

export interface ProcessingFieldsProps {
  readonly options: DocumentOptions
  readonly importOptions: ImportOptions
  readonly onChange: (next: Partial<ImportOptions>) => void
}

export function ProcessingFields(props: ProcessingFieldsProps) {
  const { options, importOptions, onChange } = props
  const { data: models = [] } = useQuery(ownModelsQuery)
  const embedders = models.filter(({ capabilities }) => capabilities.endpoints?.includes('embeddings') === true)
  return (
    <details className={styles.details}>
      <summary className={styles.summary}>Processing options</summary>
      <div className={styles.fields}>
        <ReaderFields {...props} models={models} />
        <ChunkerFields {...props} />
        <Field label="Embedder" hint="Turns text into vectors for search; hashing knows words, not meaning.">
          <Select value={importOptions.embedder} onChange={(event) => onChange({ embedder: event.target.value })}>
            <option value="">{options.embedders.default} (default)</option>
            {[...options.embedders.names, ...embedders.map(({ name }) => name)]
              .filter((name) => name !== options.embedders.default)
              .map((name) => (
                <option key={name}>{name}</option>
              ))}
          </Select>
        </Field>
      </div>
    </details>
  )
}

function ReaderFields({
  options: { readers },
  importOptions,
  onChange,
  models,
}: ProcessingFieldsProps & { readonly models: readonly UsableModel[] }) {
  const reader = importOptions.reader || readers.default
  const able = models.filter(({ capabilities: { input, endpoints } }) =>
    reader === 'transcription'
      ? endpoints?.includes('audio/transcriptions') === true
      : input?.includes('image') === true,
  )
  const takesModel = reader === 'auto' || reader === 'vision' || reader === 'transcription'
  return (
    <>
      <Field label="Reader" hint="auto chooses by the content of each file.">
        <Select
          value={importOptions.reader}
          onChange={(event) => onChange({ reader: event.target.value, readerModel: '' })}
        >
          <option value="">{readers.default} (default)</option>
          {readers.names
            .filter((name) => name !== readers.default)
            .map((name) => (
              <option key={name}>{name}</option>
            ))}
        </Select>
      </Field>
      {takesModel && able.length > 0 && (
        <Field label={reader === 'transcription' ? 'Model for sound and video' : 'Model for images and scans'}>
          <Select value={importOptions.readerModel} onChange={(event) => onChange({ readerModel: event.target.value })}>
            <option value="">The server’s default, if there is one</option>
            {able.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </Field>
      )}
    </>
  )
}

function ChunkerFields({ options: { chunkers }, importOptions, onChange }: ProcessingFieldsProps) {
  const name = importOptions.chunker || chunkers.default
  const chunker = chunkers.data.find((each) => each.name === name)
  const units = Number(importOptions.chunkUnits || chunker?.chunk_units)
  return (
    <>
      <Field label="Chunker" hint="Splits text into the passages that searches find.">
        <Select
          value={importOptions.chunker}
          onChange={(event) => onChange({ chunker: event.target.value, chunkUnits: '', chunkOverlap: '' })}
        >
          <option value="">{chunkers.default} (default)</option>
          {chunkers.data
            .filter((each) => each.name !== chunkers.default)
            .map((each) => (
              <option key={each.name}>{each.name}</option>
            ))}
        </Select>
      </Field>
      {chunker !== undefined && (
        <div className={styles.pair}>
          <NumberField
            label={`Size in ${chunker.unit}`}
            min={1}
            max={chunker.chunk_units_max}
            placeholder={String(chunker.chunk_units)}
            value={importOptions.chunkUnits}
            onChange={(chunkUnits) => onChange({ chunkUnits })}
          />
          <NumberField
            label="Overlap"
            min={0}
            max={Math.max(0, units - 1)}
            placeholder={String(chunker.chunk_overlap)}
            value={importOptions.chunkOverlap}
            onChange={(chunkOverlap) => onChange({ chunkOverlap })}
          />
        </div>
      )}
    </>
  )
}
