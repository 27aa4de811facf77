/** The embeddings tab: texts as vectors, a look at each vector, and how alike the texts are. */
import { useState } from 'react'
import { api } from '../../../api/client.ts'
import type { UsableModel } from '../../../api/schema.d.ts'
import { countText, durationText } from '../../../components/format.ts'
import { NumberField } from '../../../components/text-field.tsx'
import { ModelPicker } from '../model-picker.tsx'
import { chosenModel, NoModelFor, RunForm } from '../run-form.tsx'
import tabStyles from '../run-tab.module.css'
import { useRun } from '../use-run.ts'
import { PromptRows, rowsOf, textsOf } from '../vision/prompt-rows.tsx'
import { SimilarityMatrix } from './similarity-matrix.tsx'
import { VectorList } from './vector-list.tsx'
import { vectorOf, type EmbeddedText } from './vectors.ts'

const firstTexts = ['How many days of leave are there?', 'The number of vacation days', 'The price of a train ticket']

interface Embedded {
  readonly texts: readonly EmbeddedText[]
  readonly tokens: number | null
  readonly tookMs: number
}

export interface EmbeddingsTabProps {
  readonly models: readonly UsableModel[]
  readonly initialModel?: string | undefined
}

export function EmbeddingsTab({ models, initialModel }: EmbeddingsTabProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  const [rows, setRows] = useState(() => rowsOf(firstTexts))
  const [dimensions, setDimensions] = useState('')
  const run = useRun<Embedded>()
  const model = chosenModel(models, chosen, initialModel)
  const texts = textsOf(rows)
  if (model === null) return <NoModelFor what="embedding" icon="layers" />
  const { result } = run
  return (
    <div className={tabStyles.tab}>
      <RunForm
        label="Embeddings"
        submit={`Embed ${countText(texts.length, 'text')}`}
        missing={texts.length === 0 ? 'Write a text first.' : null}
        run={run}
        onRun={() => run.run((signal) => embed({ model, texts, dimensions: Number(dimensions) }, signal))}
      >
        <div className={tabStyles.fields}>
          <ModelPicker label="Embedding model" models={models} value={model} onChange={setChosen} />
          <NumberField
            label="Dimensions"
            min={1}
            placeholder="all"
            hint="Only for models whose vectors can be shortened."
            value={dimensions}
            onChange={setDimensions}
          />
        </div>
        <PromptRows noun="Text" placeholder="A text" rows={rows} onChange={setRows} />
      </RunForm>
      {result !== null && (
        <>
          <p role="status" className={tabStyles.figures}>
            {[
              countText(result.texts.length, 'vector'),
              ...(result.tokens === null ? [] : [countText(result.tokens, 'token')]),
              durationText(result.tookMs),
            ].join(' · ')}
          </p>
          <VectorList texts={result.texts} />
          {result.texts.length > 1 && <SimilarityMatrix texts={result.texts} />}
        </>
      )}
    </div>
  )
}

interface EmbedRequest {
  readonly model: string
  readonly texts: readonly string[]
  /** 0 = all. */
  readonly dimensions: number
}

async function* embed({ model, texts, dimensions }: EmbedRequest, signal: AbortSignal): AsyncGenerator<Embedded> {
  const begunAt = performance.now()
  const body = { model, input: texts, ...(dimensions > 0 && { dimensions }) }
  const { data, usage } = await api('POST /ai/v1/embeddings', { body, signal })
  const tookMs = performance.now() - begunAt
  // Providers may answer in another order.
  const vectorAt = (index: number): readonly number[] =>
    vectorOf((data.find((each) => each.index === index) ?? data[index])?.embedding ?? [])
  yield {
    texts: texts.map((text, index) => ({ text, vector: vectorAt(index) })),
    tokens: usage?.prompt_tokens ?? usage?.total_tokens ?? null,
    tookMs,
  }
}
