/** A look at each vector: its length, its first values and its shape. */
import { CopyButton } from '../../../components/copy-button.tsx'
import { wholeText } from '../../../components/format.ts'
import styles from './vector-list.module.css'
import { normOf, shapeOf, type EmbeddedText } from './vectors.ts'

const valuesShown = 8
const bars = 96
const height = 32

export function VectorList({ texts }: { readonly texts: readonly EmbeddedText[] }) {
  return (
    <ol className={styles.list} aria-label="Vectors">
      {texts.map(({ text, vector }, at) => (
        <li key={at} className={styles.vector}>
          <div className={styles.header}>
            <p className={styles.text}>{text}</p>
            <CopyButton text={JSON.stringify(vector)} what={`vector ${at + 1}`} />
          </div>
          <Shape vector={vector} />
          <p className={styles.figures}>
            {wholeText(vector.length)} dimensions · length {normOf(vector).toFixed(3)}
          </p>
          <code className={styles.values}>
            [
            {vector
              .slice(0, valuesShown)
              .map((each) => each.toFixed(4))
              .join(', ')}
            {vector.length > valuesShown ? ', …' : ''}]
          </code>
        </li>
      ))}
    </ol>
  )
}

/** Bars up and down from the middle. The figures beside it say the same in words. */
function Shape({ vector }: { readonly vector: readonly number[] }) {
  const shape = shapeOf(vector, bars)
  const most = Math.max(...shape.map(Math.abs), Number.MIN_VALUE)
  return (
    <svg className={styles.shape} viewBox={`0 0 ${bars} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {shape.map((value, at) => {
        const size = (Math.abs(value) / most) * (height / 2)
        return <rect key={at} x={at} width={0.8} y={value >= 0 ? height / 2 - size : height / 2} height={size} />
      })}
    </svg>
  )
}
