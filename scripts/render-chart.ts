/**
 * Renders the chart with Helm into `test/deploy/rendered`, whose manifests the tests check: `HELM=path/to/helm bun
 * scripts/render-chart.ts` after a change of the chart. `go install helm.sh/helm/v3/cmd/helm@v3.22.0` is one way to get Helm.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { chartCases, helm, renderCase, renderedPath } from '../test/support/deploy/chart.ts'

if (helm === null) throw new Error('Helm is not installed: name it in HELM.')
for (const each of chartCases) {
  const path = renderedPath(each)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, await renderCase(each))
  console.log(path)
}
