/** Answers to one question in figures, the best of each marked. Loads when several models have answered. */
import { useQuery } from '@tanstack/react-query'
import { ownCatalogueQuery } from '../../../api/queries.ts'
import tableStyles from '../../../components/figure-table.module.css'
import { durationText, wholeText } from '../../../components/format.ts'
import { moneyText } from '../../../components/money.ts'
import type { Answer } from '../chat/conversation.ts'
import { answerCost } from './answer-cost.ts'
import { tokensPerSecond } from './answer-metrics.ts'
import styles from './compare-table.module.css'

interface Figure {
  readonly label: string
  readonly of: (answer: Answer) => number | null
  readonly text: (value: number) => string
  readonly best?: 'least' | 'most'
}

export function CompareTable({ answers }: { readonly answers: readonly Answer[] }) {
  const { data: catalogue } = useQuery(ownCatalogueQuery)
  const figures: readonly Figure[] = [
    { label: 'First token', of: ({ progress }) => progress.firstTokenMs, text: durationText, best: 'least' },
    { label: 'In total', of: ({ progress }) => progress.elapsedMs, text: durationText, best: 'least' },
    { label: 'Tokens/s', of: ({ progress }) => tokensPerSecond(progress), text: wholeText, best: 'most' },
    { label: 'Tokens in', of: ({ progress }) => progress.promptTokens, text: wholeText },
    { label: 'Tokens out', of: ({ progress }) => progress.completionTokens, text: wholeText },
    {
      label: 'Cost',
      of: (answer) => answerCost(answer, catalogue?.data ?? []),
      text: (nano) => moneyText(nano, catalogue?.currency ?? 'USD'),
      best: 'least',
    },
  ]
  return (
    // The box scrolls sideways, so it must be reachable by keyboard.
    <div className={styles.box} role="group" aria-label="Comparison" tabIndex={0}>
      <table className={tableStyles.table}>
        <thead>
          <tr>
            <th scope="col">Model</th>
            {figures.map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {answers.map((answer, lane) => (
            <tr key={lane}>
              <th scope="row">{answer.model}</th>
              {figures.map((figure) => (
                <FigureCell key={figure.label} figure={figure} answer={answer} answers={answers} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface FigureCellProps {
  readonly figure: Figure
  readonly answer: Answer
  readonly answers: readonly Answer[]
}

function FigureCell({ figure: { of, text, best }, answer, answers }: FigureCellProps) {
  // A model that failed or was stopped is not the fastest.
  const valueOf = (each: Answer): number | null => (each.state === 'complete' ? of(each) : null)
  const value = valueOf(answer)
  if (value === null) return <td>–</td>
  const values = answers.flatMap((each) => valueOf(each) ?? [])
  const isBest =
    best !== undefined &&
    new Set(values).size > 1 &&
    value === (best === 'least' ? Math.min(...values) : Math.max(...values))
  return (
    <td>
      {isBest ? (
        <strong className={styles.best}>
          {text(value)}
          <span className="visually-hidden"> (best)</span>
        </strong>
      ) : (
        text(value)
      )}
    </td>
  )
}
