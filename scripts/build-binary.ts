/**
 * Builds Sluice as one file: the runtime, the server, the console, and all that threads and reading processes run.
 * `npm run build:binary` makes `dist/sluice` for this machine; `-- --target linux-arm64-musl` or `--all` make
 * `dist/sluice-<target>`, for which Bun fetches the runtime of that system from the npm registry; `--out FILE` writes one there.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { BunPlugin } from 'bun'
import { ownScripts } from '#lib/own-scripts.ts'

/** Systems that a release has a binary for. */
export const binaryTargets = [
  'linux-x64',
  'linux-x64-musl',
  'linux-arm64',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
] as const

const root = join(import.meta.dir, '..')

export interface BinaryOptions {
  /** This machine's when absent. */
  readonly target?: string | undefined
  /** Path of the binary. */
  readonly out: string
}

/**
 * Merge tables of tokenizers are 300,000 texts, of which bytecode makes four times their size. They are kept as one packed
 * text of JSON, which a thread reads as fast.
 */
const packedVocabularies: BunPlugin = {
  name: 'packed-vocabularies',
  setup(build) {
    build.onLoad({ filter: /\/gpt-tokenizer\/esm\/bpeRanks\/\w+\.js$/ }, async ({ path }) => {
      const table: { readonly default: unknown } = await import(path)
      const packed = Bun.zstdCompressSync(JSON.stringify(table.default), { level: 19 }).toString('base64')
      const unpacked = `Bun.zstdDecompressSync(Buffer.from('${packed}', 'base64')).toString()`
      return { loader: 'js', contents: `export default JSON.parse(${unpacked})` }
    })
  },
}

/** Builds one binary; the console must be built. Throws when the bundler reports a problem. */
export async function buildBinary({ target, out }: BinaryOptions): Promise<void> {
  if (!existsSync(join(root, 'ui/dist/index.html'))) throw new Error('The console is not built: npm run build:ui.')
  const system = binaryTargets.find((name) => name === target)
  if (system !== target) throw new Error(`Unknown target "${target}". Known: ${binaryTargets.join(', ')}.`)
  mkdirSync(dirname(out), { recursive: true })
  const result = await Bun.build({
    entrypoints: ['src/main.ts', ...ownScripts.map((name) => `src/${name}`)].map((file) => join(root, file)),
    root,
    // Chunks are loaded when they are needed, and are compiled: half of the start was parsing.
    splitting: true,
    bytecode: true,
    format: 'esm',
    // Names stay, so that a stack says where a fault is.
    minify: { whitespace: true, syntax: true, identifiers: false },
    compile: {
      outfile: out,
      ...(system && { target: `bun-${system}` }),
      assets: [join(root, 'ui/dist')],
      // Nobody's .env or bunfig.toml changes what runs: configuration comes from Sluice's own file and the environment.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    plugins: [packedVocabularies],
    throw: false,
  })
  if (!result.success) {
    throw new Error(
      `The build failed for ${target ?? 'this machine'}:\n${result.logs.map(({ message }) => message).join('\n')}`,
    )
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { target: { type: 'string', multiple: true }, all: { type: 'boolean' }, out: { type: 'string' } },
  })
  const targets = values.all === true ? binaryTargets : values.target
  const { out } = values
  if (out !== undefined && (targets?.length ?? 1) > 1) throw new Error('--out is for one binary: name one target.')
  const pathFor = (name: string): string => resolve(out ?? join(root, 'dist', name))
  const jobs: BinaryOptions[] = targets?.map((target) => ({ target, out: pathFor(`sluice-${target}`) })) ?? [
    { out: pathFor('sluice') },
  ]
  for (const job of jobs) {
    await buildBinary(job)
    console.log(`${job.out}  ${(statSync(job.out).size / 1e6).toFixed(1)} MB`)
  }
}
