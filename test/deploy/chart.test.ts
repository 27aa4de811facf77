/** The manifests that Helm makes of the chart: what Kubernetes takes, and that they fit together and to the server. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import {
  chartCases,
  chartDigest,
  helm,
  refusedCases,
  renderCase,
  renderedPath,
  runHelm,
} from '#test/support/deploy/chart.ts'

const noHelm = helm === null ? ' (skipped: helm is not installed)' : ''

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly spec?: object
}
interface Container {
  readonly args: readonly string[]
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[]
  readonly securityContext: object
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[]
}

const manifestsOf = (text: string): readonly Manifest[] =>
  (Bun.YAML.parse(text) as (Manifest | null)[]).flatMap((each) => each ?? [])
const rendered = new Map(
  chartCases.map((each) => {
    const text = readFileSync(renderedPath(each), 'utf8')
    const parsed = manifestsOf(text)
    return [each.name, { text, manifests: parsed }] as const
  }),
)
const of = (name: string): readonly Manifest[] => rendered.get(name)?.manifests ?? []
const oneOf = (name: string, kind: string): Manifest => {
  const found = of(name).filter((each) => each.kind === kind)
  if (found.length !== 1) throw new Error(`${name} has ${found.length} of ${kind}`)
  return found[0]!
}
/** What lies at a path of names and numbers, which is then what the caller takes it for. */
function at<T = unknown>(manifest: unknown, path: string): T {
  let found = manifest
  for (const name of path.split('.')) found = (found as Record<string, unknown> | undefined)?.[name]
  return found as T
}
const containerOf = (manifest: Manifest): Container => at(manifest, 'spec.template.spec.containers.0')

interface Schemas {
  readonly kinds: Readonly<Record<string, object>>
  readonly $defs: object
}
const schemas = JSON.parse(readFileSync(join(import.meta.dir, 'kubernetes-schemas.json'), 'utf8')) as Schemas
const ajv = new Ajv({ strict: false, validateSchema: false, allowUnionTypes: true })

/** What Kubernetes says against a manifest, fields that it does not know included; null when it takes it. */
function objectionsTo(manifest: Manifest): unknown {
  const id = `${manifest.apiVersion}/${manifest.kind}`
  const schema = schemas.kinds[id]
  if (schema === undefined) return `${id} is not a kind that the chart makes`
  const validate = ajv.getSchema(id) ?? ajv.compile({ ...schema, $defs: schemas.$defs, $id: id })
  return validate(manifest) === true ? null : validate.errors
}

describe.each(chartCases)('the manifests of $name', (each) => {
  test('are those of the chart as it is: else run scripts/render-chart.ts', () => {
    expect(rendered.get(each.name)?.text.split('\n')[0]).toEndWith(chartDigest())
  })

  test('are what Kubernetes takes, without a field that it does not know', () => {
    for (const manifest of of(each.name)) expect([manifest.kind, objectionsTo(manifest)]).toEqual([manifest.kind, null])
  })

  test('hold no secret, run as nobody, and write only where a volume is', () => {
    const pods = of(each.name).filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    for (const manifest of pods) {
      const container = containerOf(manifest)
      const secret = container.env.filter(({ name }) => /DATABASE_URL|KEY/.test(name))
      expect(secret.every(({ value, valueFrom }) => value === undefined && valueFrom !== undefined)).toBe(true)
      expect(at(manifest, 'spec.template.spec.securityContext')).toMatchObject({ runAsNonRoot: true, runAsUser: 65532 })
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      const mounted = container.volumeMounts.map(({ name }) => name)
      const volumes = at<{ name: string }[]>(manifest, 'spec.template.spec.volumes').map(({ name }) => name)
      expect(mounted.toSorted()).toEqual(volumes.toSorted())
      expect(
        container.volumeMounts.filter(({ readOnly }) => readOnly !== true).map((mount) => mount.mountPath),
      ).toEqual(['/data', '/tmp'])
    }
  })

  test('select the pods of the server, and those alone', () => {
    const pod = at<Record<string, string>>(oneOf(each.name, 'Deployment'), 'spec.template.metadata.labels')
    const isSelected = (selector: Record<string, string>, labels: Record<string, string>): boolean =>
      Object.entries(selector).every(([name, value]) => labels[name] === value)
    const places: Readonly<Record<string, string>> = {
      Service: 'spec.selector',
      PodDisruptionBudget: 'spec.selector.matchLabels',
      Deployment: 'spec.selector.matchLabels',
      NetworkPolicy: 'spec.podSelector.matchLabels',
    }
    const selectors = of(each.name).flatMap((manifest) => {
      const place = places[manifest.kind]
      return place === undefined ? [] : [at<Record<string, string>>(manifest, place)]
    })
    expect(selectors.length).toBeGreaterThanOrEqual(3)
    expect(selectors.every((selector) => isSelected(selector, pod))).toBe(true)
    for (const job of of(each.name).filter(({ kind }) => kind === 'Job'))
      expect(selectors.some((selector) => isSelected(selector, at(job, 'spec.template.metadata.labels')))).toBe(false)
  })
})

describe('the chart', () => {
  test('of one process stops it before another starts, and keeps its data', () => {
    expect(at(oneOf('one-process', 'Deployment'), 'spec.strategy')).toEqual({ type: 'Recreate' })
    const claim = oneOf('one-process', 'PersistentVolumeClaim')
    expect(claim.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' })
    expect(of('one-process').map(({ kind }) => kind)).not.toContain('Job')
  })

  test('of several changes the schema first, and has a new pod ready before an old one stops', () => {
    const job = oneOf('several-processes', 'Job')
    expect(containerOf(job).args).toEqual(['migrate'])
    expect(job.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' })
    const deployment = oneOf('several-processes', 'Deployment')
    expect(at(deployment, 'spec.strategy.rollingUpdate')).toEqual({ maxUnavailable: 0, maxSurge: 1 })
    const [delay, drain] = ['SLUICE_SERVER_DRAIN_DELAY_SECONDS', 'SLUICE_SERVER_DRAIN_SECONDS'].map((name) =>
      Number(containerOf(deployment).env.find((each) => each.name === name)?.value),
    )
    const grace = at<number>(deployment, 'spec.template.spec.terminationGracePeriodSeconds')
    expect(grace).toBeGreaterThan(Number(delay) + Number(drain))
  })

  test('with everything scales the deployment, and is scraped and reached at ports that there are', () => {
    const { metadata } = oneOf('everything', 'Deployment')
    expect(at(oneOf('everything', 'HorizontalPodAutoscaler'), 'spec.scaleTargetRef.name')).toBe(metadata.name)
    expect(at(oneOf('everything', 'Deployment'), 'spec.replicas')).toBeUndefined()
    const service = oneOf('everything', 'Service')
    const ports = at<{ name: string }[]>(service, 'spec.ports').map(({ name }) => name)
    expect(ports).toContain(at(oneOf('everything', 'ServiceMonitor'), 'spec.endpoints.0.port'))
    const backend = at(oneOf('everything', 'Ingress'), 'spec.rules.0.http.paths.0.backend.service')
    expect(at(backend, 'name')).toBe(service.metadata.name)
    expect(ports).toContain(at(backend, 'port.name'))
  })

  test.skipIf(helm === null)(`is rendered as it is kept, and passes Helm's lint${noHelm}`, async () => {
    for (const each of chartCases) expect(await renderCase(each)).toBe(rendered.get(each.name)?.text ?? '')
    for (const each of chartCases) expect(await runHelm('lint', each.flags)).toMatchObject({ code: 0 })
  })

  test.skipIf(helm === null).each(refusedCases)(`refuses %p: %s${noHelm}`, async (values, sentence) => {
    const { code, stderr } = await runHelm(
      'template',
      values.flatMap((value) => ['--set', value]),
    )
    expect(code).toBe(1)
    expect(stderr).toContain(sentence)
  })
})

test('what Kubernetes would refuse is refused here', () => {
  const deployment = structuredClone(oneOf('one-process', 'Deployment'))
  at<Record<string, string>>(containerOf(deployment), 'livenessProbe.httpGet')['pathh'] = '/'
  expect(JSON.stringify(objectionsTo(deployment))).toContain('pathh')
  expect(objectionsTo({ ...oneOf('one-process', 'Service'), spec: { ports: [{ port: 'http' }] } })).not.toBeNull()
})
