/** The rerank tab: texts in the order in which they answer a query. */
import { useState } from 'react'
import { api } from '../../../api/client.ts'
import type { UsableModel } from '../../../api/schema.d.ts'
import { countText, durationText } from '../../../components/format.ts'
import { NumberField, TextField } from '../../../components/text-field.tsx'
import { ModelPicker } from '../model-picker.tsx'
import { chosenModel, NoModelFor, RunForm } from '../run-form.tsx'
import tabStyles from '../run-tab.module.css'
import { useRun } from '../use-run.ts'
import { PromptRows, rowsOf, textsOf } from '../vision/prompt-rows.tsx'
import styles from './rerank-tab.module.css'

const firstQuery = 'How many days of leave are there?'
const firstDocuments = [
  'Travel is by train where a train takes less than six hours.',
  'Everyone has thirty vacation days a year.',
  'Up to five vacation days may be carried over to the next year.',
]

interface Ranked {
  readonly documents: readonly { readonly text: string; readonly place: number; readonly score: number }[]
  readonly tookMs: number
}

export interface RerankTabProps {
  readonly models: readonly UsableModel[]
  readonly initialModel?: string | undefined
}

export function RerankTab({ models, initialModel }: RerankTabProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  const [query, setQuery] = useState(firstQuery)
  const [rows, setRows] = useState(() => rowsOf(firstDocuments))
  const [topN, setTopN] = useState('')
  const run = useRun<Ranked>()
  const model = chosenModel(models, chosen, initialModel)
  const documents = textsOf(rows)
  if (model === null) return <NoModelFor what="rerank" icon="list" />
  const { result } = run
  const missing =
    query.trim() === '' ? 'Write a query first.' : documents.length === 0 ? 'Write a document first.' : null
  return (
    <div className={tabStyles.tab}>
      <RunForm
        label="Rerank"
        submit={`Rank ${countText(documents.length, 'document')}`}
        missing={missing}
        run={run}
        onRun={() =>
          run.run((signal) => rerank({ model, query: query.trim(), documents, top_n: Number(topN) }, signal))
        }
      >
        <div className={tabStyles.fields}>
          <ModelPicker label="Rerank model" models={models} value={model} onChange={setChosen} />
          <NumberField label="Only the best" min={1} placeholder="all" value={topN} onChange={setTopN} />
        </div>
        <TextField label="Query" value={query} onChange={setQuery} />
        <PromptRows noun="Document" placeholder="A text that may answer the query" rows={rows} onChange={setRows} />
      </RunForm>
      {result !== null && <Ranking ranked={result} />}
    </div>
  )
}

function Ranking({ ranked: { documents, tookMs } }: { readonly ranked: Ranked }) {
  const most = Math.max(...documents.map(({ score }) => score), Number.MIN_VALUE)
  return (
    <>
      <p role="status" className={tabStyles.figures}>
        {countText(documents.length, 'document')} · {durationText(tookMs)}
      </p>
      <ol className={styles.list} aria-label="Ranking">
        {documents.map(({ text, place, score }) => (
          <li key={place} className={styles.document}>
            <p className={styles.text}>{text}</p>
            <p className={styles.score}>
              {score.toFixed(4)} · was {place + 1}
            </p>
            <div className={styles.bar} aria-hidden="true">
              <div style={{ width: `${Math.max(0, Math.min(1, score / most)) * 100}%` }} />
            </div>
          </li>
        ))}
      </ol>
    </>
  )
}

interface RerankBody {
  readonly model: string
  readonly query: string
  readonly documents: readonly string[]
  /** 0 = all. */
  readonly top_n: number
}

async function* rerank({ top_n, ...fields }: RerankBody, signal: AbortSignal): AsyncGenerator<Ranked> {
  const begunAt = performance.now()
  const body = { ...fields, ...(top_n > 0 && { top_n }) }
  const { results } = await api('POST /ai/v1/rerank', { body, signal })
  const ranked = results.flatMap(({ index, relevance_score: score }) => {
    const text = fields.documents[index]
    return text === undefined ? [] : [{ text, place: index, score }]
  })
  yield { documents: ranked.toSorted((a, b) => b.score - a.score), tookMs: performance.now() - begunAt }
}
