/** How alike texts are: the cosine of each pair of vectors, the higher the darker. */
import styles from './similarity-matrix.module.css'
import { cosineOf, type EmbeddedText } from './vectors.ts'

export function SimilarityMatrix({ texts }: { readonly texts: readonly EmbeddedText[] }) {
  return (
    // The box scrolls sideways, so it must be reachable by keyboard.
    <div className={styles.box} role="group" aria-label="Similarity of the texts" tabIndex={0}>
      <table className={styles.table}>
        <caption>
          Similarity: the cosine of each pair of vectors. 1 is the same direction, 0 has nothing in common.
        </caption>
        <thead>
          <tr>
            <td />
            {texts.map((_, at) => (
              <th key={at} scope="col">
                {at + 1}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {texts.map(({ text, vector }, row) => (
            <tr key={row}>
              <th scope="row" title={text}>
                <span className={styles.name}>
                  {row + 1}. {text}
                </span>
              </th>
              {texts.map((other, column) => (
                <Cell key={column} cosine={cosineOf(vector, other.vector)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Darker would be too little contrast for the figure. */
const shadeMax = 40

function Cell({ cosine }: { readonly cosine: number | null }) {
  if (cosine === null) return <td className={styles.cell}>–</td>
  const share = Math.round(Math.max(0, cosine) * shadeMax)
  return (
    <td
      className={styles.cell}
      style={{ backgroundColor: `color-mix(in srgb, var(--accent) ${share}%, var(--surface))` }}
    >
      {cosine.toFixed(3)}
    </td>
  )
}
