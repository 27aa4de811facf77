/** The metrics of an answer with what it cost, where a price is known. */
import { useQuery } from '@tanstack/react-query'
import { ownCatalogueQuery } from '../../../api/queries.ts'
import { moneyText } from '../../../components/money.ts'
import type { Answer } from '../chat/conversation.ts'
import { answerCost } from './answer-cost.ts'
import { metricTexts } from './answer-metrics.ts'
import styles from './answer-view.module.css'

export function AnswerMetrics(answer: Pick<Answer, 'model' | 'progress'>) {
  const { data } = useQuery(ownCatalogueQuery)
  const cost = data === undefined ? null : answerCost(answer, data.data)
  const texts = metricTexts(answer.progress)
  return (
    <p className={styles.figures}>
      {[
        ...texts,
        ...(cost === null || data === undefined || texts.length === 0 ? [] : [moneyText(cost, data.currency)]),
      ].join(' · ')}
    </p>
  )
}
