/**
 * Makes `test/deploy/kubernetes-schemas.json`: what Kubernetes takes for the kinds of the chart, cut out of its own OpenAPI
 * document, and the definition of ServiceMonitor. A field that is not in them is refused, as the API server does in its strict mode.
 *
 * `bun scripts/kubernetes-schemas.ts KUBERNETES OPERATOR`: the sources of both, for example as
 * `go mod download -json k8s.io/kubernetes@v1.34.2` and `… github.com/prometheus-operator/prometheus-operator@v0.85.0` fetch them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Schema = { [key: string]: unknown }

/** The file of each kind, and the name of its definition. */
const kinds: Readonly<Record<string, readonly [file: string, definition: string]>> = {
  'v1/ConfigMap': ['api__v1', 'io.k8s.api.core.v1.ConfigMap'],
  'v1/PersistentVolumeClaim': ['api__v1', 'io.k8s.api.core.v1.PersistentVolumeClaim'],
  'v1/Service': ['api__v1', 'io.k8s.api.core.v1.Service'],
  'apps/v1/Deployment': ['apis__apps__v1', 'io.k8s.api.apps.v1.Deployment'],
  'autoscaling/v2/HorizontalPodAutoscaler': [
    'apis__autoscaling__v2',
    'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
  ],
  'batch/v1/Job': ['apis__batch__v1', 'io.k8s.api.batch.v1.Job'],
  'networking.k8s.io/v1/Ingress': ['apis__networking.k8s.io__v1', 'io.k8s.api.networking.v1.Ingress'],
  'networking.k8s.io/v1/NetworkPolicy': ['apis__networking.k8s.io__v1', 'io.k8s.api.networking.v1.NetworkPolicy'],
  'policy/v1/PodDisruptionBudget': ['apis__policy__v1', 'io.k8s.api.policy.v1.PodDisruptionBudget'],
}
/** Types that the document describes by a format of its own. */
const ownTypes: Readonly<Record<string, Schema>> = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: ['integer', 'string'] },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: ['string', 'number'] },
}
const leftOut = /^(?:description|default|format|x-kubernetes-.*)$/

const [kubernetes = '', operator = ''] = process.argv.slice(2)
const definitions: Schema = {}

function definitionsOf(file: string): Schema {
  const path = join(kubernetes, 'api/openapi-spec/v3', `${file}_openapi.json`)
  return (JSON.parse(readFileSync(path, 'utf8')) as { components: { schemas: Schema } }).components.schemas
}

/** Adds a definition with all that it refers to. */
function take(name: string, all: Schema): void {
  if (name in definitions) return
  definitions[name] = {}
  definitions[name] = ownTypes[name] ?? closed(all[name], all)
}

/** The schema without words and defaults, which takes no other fields than its own. */
function closed(schema: unknown, all: Schema): unknown {
  if (Array.isArray(schema)) return schema.map((each) => closed(each, all))
  if (schema === null || typeof schema !== 'object') return schema
  if ((schema as Schema)['x-kubernetes-int-or-string'] === true) return { type: ['integer', 'string'] }
  const result: Schema = {}
  for (const [key, value] of Object.entries(schema)) {
    if (leftOut.test(key)) continue
    if (key === '$ref') {
      const name = String(value).split('/').at(-1) ?? ''
      take(name, all)
      result[key] = `#/$defs/${name}`
    } else if (key === 'properties') {
      const fields = Object.entries(value as Schema).map(([name, field]) => [name, closed(field, all)])
      result[key] = Object.fromEntries(fields)
      result['additionalProperties'] ??= false
    } else result[key] = closed(value, all)
  }
  return result
}

const taken: Schema = {}
for (const [kind, [file, name]] of Object.entries(kinds)) {
  take(name, definitionsOf(file))
  taken[kind] = { $ref: `#/$defs/${name}` }
}
const monitorFile = 'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml'
const monitor = Bun.YAML.parse(readFileSync(join(operator, monitorFile), 'utf8')) as {
  spec: { versions: readonly { schema: { openAPIV3Schema: { properties: Schema } } }[] }
}
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
const fields = monitor.spec.versions[0]!.schema.openAPIV3Schema.properties
taken['monitoring.coreos.com/v1/ServiceMonitor'] = closed(
  { type: 'object', properties: { ...fields, metadata: { $ref: `#/components/schemas/${meta}` } } },
  definitionsOf('api__v1'),
)
const out = join(import.meta.dir, '../test/deploy/kubernetes-schemas.json')
writeFileSync(out, `${JSON.stringify({ kinds: taken, $defs: definitions })}\n`)
