/** How a provider answered when it was asked for its models. */
import type { ProviderTest } from '../../api/schema.d.ts'
import { Icon } from '../../components/icon.tsx'
import styles from './test-result.module.css'

export function TestResult({ test }: { readonly test: ProviderTest }) {
  if (!test.ok) {
    return (
      <p role="alert" className={`${styles.result} ${styles.failed}`}>
        <Icon name="warning" />
        {test.error ?? 'The provider did not answer.'}
      </p>
    )
  }
  const count = test.models.length === 1 ? '1 model' : `${test.models.length} models`
  return (
    <p role="status" className={`${styles.result} ${styles.ok}`}>
      <Icon name="check" />
      It answered in {test.latency_ms} ms and offers {count}.
    </p>
  )
}
