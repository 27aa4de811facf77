/** The result of a connection test. */
import type { ProviderTest } from '../../api/schema.d.ts'
import { countText } from '../../components/format.ts'
import { Notice } from '../../components/notice.tsx'

export function TestResult({ test }: { readonly test: ProviderTest }) {
  if (!test.ok) {
    return (
      <Notice tone="danger" role="alert">
        {test.error ?? 'The provider did not answer. Check the base URL and the API key.'}
      </Notice>
    )
  }
  return (
    <Notice tone="success" role="status">
      The provider answered in {test.latency_ms} ms and offers {countText(test.models.length, 'model')}.
    </Notice>
  )
}
