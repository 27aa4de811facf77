/** The chart as Helm renders it for some sets of values; what Helm made is kept beside the tests, which so need no Helm. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '../../..')
const chart = join(root, 'deploy/helm')

/** Where Helm is: `HELM`, or in PATH; null when it is not installed. */
export const helm = process.env['HELM'] ?? Bun.which('helm')

export interface ChartCase {
  readonly name: string
  /** The flags of `helm template`. */
  readonly flags: readonly string[]
}

const several = ['database.urlSecret.name=sluice-database', 'secretKeySecret.name=sluice-key']
const set = (values: readonly string[]): readonly string[] => values.flatMap((value) => ['--set', value])

/** Values whose manifests are kept. */
export const chartCases: readonly ChartCase[] = [
  { name: 'one-process', flags: [] },
  { name: 'several-processes', flags: set(['replicas=3', ...several]) },
  {
    name: 'everything',
    flags: set([
      ...several,
      'image.tag=1.2.3',
      'imagePullSecrets[0].name=registry',
      'settings.SLUICE_LOG_LEVEL=debug',
      'secretSettings[0].variable=OPENAI_API_KEY',
      'secretSettings[0].name=vendors',
      'secretSettings[0].key=openai',
      'config=log: { level: debug }',
      'ingress.enabled=true',
      'ingress.host=sluice.example.org',
      'ingress.className=nginx',
      'ingress.tlsSecret=sluice-tls',
      'autoscaling.enabled=true',
      'networkPolicy.enabled=true',
      'networkPolicy.from[0].namespaceSelector.matchLabels.name=gateways',
      'serviceMonitor.enabled=true',
      'serviceMonitor.keySecret.name=sluice-admin',
      'podAnnotations.team=ai',
      'nodeSelector.disk=ssd',
      'tolerations[0].key=ai',
      'tolerations[0].operator=Exists',
    ]),
  },
]

/** Values that are refused before anything is installed, and the sentence that says why. */
export const refusedCases: readonly (readonly [values: readonly string[], sentence: string])[] = [
  [['replicas=2'], 'Several processes need PostgreSQL: set database.urlSecret.name.'],
  [['autoscaling.enabled=true'], 'Several processes need PostgreSQL: set database.urlSecret.name.'],
  [['database.urlSecret.name=d'], 'Processes on PostgreSQL need the same secret key: set secretKeySecret.name.'],
  [['ingress.enabled=true'], 'Set ingress.host.'],
  [['replica=2'], "additional properties 'replica' not allowed"],
]

/** Path of what Helm made for a case: under a name that no formatter changes. */
export function renderedPath({ name }: ChartCase): string {
  return join(root, 'test/deploy/rendered', `${name}.manifests`)
}

/** SHA-256 of all files of the chart, by their names. */
export function chartDigest(): string {
  const hash = new Bun.CryptoHasher('sha256')
  const names = readdirSync(chart, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(chart.length))
  for (const name of names.toSorted((one, other) => (one < other ? -1 : 1)))
    hash.update(`${name}\n${readFileSync(join(chart, name), 'utf8')}\n`)
  return hash.digest('hex')
}

/** Runs Helm on the chart. */
export async function runHelm(command: string, flags: readonly string[]) {
  const args =
    command === 'lint' ? ['lint', chart, '--strict'] : ['template', 'sluice', chart, '--kube-version', '1.34.0']
  const child = Bun.spawn([String(helm), ...args, ...flags], { stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, stdout, stderr }
}

/** The manifests of a case, below a line with the digest of the chart. Throws what Helm says against them. */
export async function renderCase({ flags }: ChartCase): Promise<string> {
  const { code, stdout, stderr } = await runHelm('template', flags)
  if (code !== 0) throw new Error(stderr)
  return `# Made by scripts/render-chart.ts. Chart: ${chartDigest()}\n${stdout}`
}
