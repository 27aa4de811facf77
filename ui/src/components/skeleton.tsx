/** A placeholder while content loads. Screen readers announce `label`. */
import styles from './skeleton.module.css'

export function Skeleton({ lines = 3, label = 'Loading' }: { readonly lines?: number; readonly label?: string }) {
  return (
    <div role="status" className={styles.block}>
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} className={styles.line} />
      ))}
    </div>
  )
}
