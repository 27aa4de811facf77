/** The parts of a release as a CycloneDX 1.6 document (https://cyclonedx.org/docs/1.6/json/), from npm's lock file. */

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

interface LockedPackage {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly resolved?: string
}

interface Component {
  readonly type: 'library'
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly hashes?: readonly { readonly alg: 'SHA-512'; readonly content: string }[]
  readonly licenses?: readonly { readonly expression: string }[]
}

/** Packages of the running product; those that only build and test it are left out, except the console's. */
export function cycloneDx({ packages }: Lockfile, version: string): object {
  const components = Object.entries(packages)
    .filter(([path, { dev = false }]) => path !== '' && (!dev || inConsole.has(nameOf(path))))
    .flatMap(([path, locked]) => componentOf(path, locked))
  const unique = new Map(components.map((component) => [component.purl, component]))
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': 'sluice', name: 'sluice', version } },
    components: [...unique.values()],
  }
}

/** What the console's files are made of; packages of these are development dependencies of the server. */
const inConsole: ReadonlySet<string> = new Set([
  '@base-ui/react',
  '@tanstack/react-query',
  '@tanstack/react-router',
  '@tanstack/react-virtual',
  'react',
  'react-dom',
])

function nameOf(path: string): string {
  return path.split('node_modules/').at(-1) ?? path
}

function componentOf(path: string, { version, license, integrity }: LockedPackage): readonly Component[] {
  if (version === undefined) return []
  const name = nameOf(path)
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const [algorithm, digest = ''] = integrity?.split('-') ?? []
  return [
    {
      type: 'library',
      'bom-ref': purl,
      name,
      version,
      purl,
      ...(algorithm === 'sha512' && {
        hashes: [{ alg: 'SHA-512' as const, content: Buffer.from(digest, 'base64').toString('hex') }],
      }),
      ...(license !== undefined && { licenses: [{ expression: license }] }),
    },
  ]
}
