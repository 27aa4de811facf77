/** How files are read, cut into chunks and embedded. Who does not open it gets the server's defaults. */
import { useQuery } from '@tanstack/react-query'
import { ownModelsQuery } from '../../../api/queries.ts'
import type { DocumentOptions, UsableModel } from '../../../api/schema.d.ts'
import { Field } from '../../../components/field.tsx'
import { Select } from '../../../components/input.tsx'
import { NumberField } from '../../../components/text-field.tsx'
import styles from './import-options.module.css'
import type { ImportWishes } from './import-wishes.ts'

export interface ImportOptionsProps {
  readonly options: DocumentOptions
  readonly wishes: ImportWishes
  readonly onChange: (next: Partial<ImportWishes>) => void
}

export function ImportOptions(props: ImportOptionsProps) {
  const { options, wishes, onChange } = props
  const { data: models = [] } = useQuery(ownModelsQuery)
  const embedders = models.filter(({ capabilities }) => capabilities.endpoints?.includes('embeddings') === true)
  return (
    <details className={styles.details}>
      <summary className={styles.summary}>Reading, chunks and embedding</summary>
      <div className={styles.fields}>
        <ReaderFields {...props} models={models} />
        <ChunkerFields {...props} />
        <Field label="Embedder" hint="Turns text into vectors. Questions are embedded by the same one.">
          <Select value={wishes.embedder} onChange={(event) => onChange({ embedder: event.target.value })}>
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
  wishes,
  onChange,
  models,
}: ImportOptionsProps & { readonly models: readonly UsableModel[] }) {
  const reader = wishes.reader || readers.default
  const seeing = models.filter(({ capabilities }) => capabilities.input?.includes('image') === true)
  return (
    <>
      <Field label="Reader" hint="auto goes by the content of each file.">
        <Select value={wishes.reader} onChange={(event) => onChange({ reader: event.target.value, readerModel: '' })}>
          <option value="">{readers.default} (default)</option>
          {readers.names
            .filter((name) => name !== readers.default)
            .map((name) => (
              <option key={name}>{name}</option>
            ))}
        </Select>
      </Field>
      {(reader === 'auto' || reader === 'vision') && seeing.length > 0 && (
        <Field label="Model for pictures and scans">
          <Select value={wishes.readerModel} onChange={(event) => onChange({ readerModel: event.target.value })}>
            <option value="">The server’s own, if it has one</option>
            {seeing.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </Field>
      )}
    </>
  )
}

function ChunkerFields({ options: { chunkers }, wishes, onChange }: ImportOptionsProps) {
  const name = wishes.chunker || chunkers.default
  const chunker = chunkers.data.find((each) => each.name === name)
  const units = Number(wishes.chunkUnits || chunker?.chunk_units)
  return (
    <>
      <Field label="Chunker" hint="How the text is cut into the passages that a search finds.">
        <Select
          value={wishes.chunker}
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
            value={wishes.chunkUnits}
            onChange={(chunkUnits) => onChange({ chunkUnits })}
          />
          <NumberField
            label="Overlap"
            min={0}
            max={Math.max(0, units - 1)}
            placeholder={String(chunker.chunk_overlap)}
            value={wishes.chunkOverlap}
            onChange={(chunkOverlap) => onChange({ chunkOverlap })}
          />
        </div>
      )}
    </>
  )
}
