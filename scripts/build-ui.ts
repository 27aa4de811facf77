/**
 * Builds the web console into ui/dist: hashed names, and next to each file what brotli and gzip make
 * of it. `--if-missing` does nothing where it is built or the build tool is not installed; `--out` and
 * a directory builds there.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const root = join(import.meta.dir, '..')
const outAt = process.argv.indexOf('--out')
const output = outAt === -1 ? join(root, 'ui/dist') : resolve(process.argv[outAt + 1] ?? '')

/** Smaller ones gain less than the header costs. */
const compressedBytesMin = 512

if (!process.argv.includes('--if-missing')) await buildConsole()
else if (!existsSync(join(output, 'index.html'))) {
  if (existsSync(join(root, 'node_modules/vite'))) await buildConsole()
  else
    console.error('The web console is not built, and its build tool is not installed: run "npm ci" without --omit=dev.')
}

async function buildConsole(): Promise<void> {
  // A test runner has set another one, and React would be twice as large.
  process.env['NODE_ENV'] = 'production'
  const { build } = await import('vite')
  await build({
    root: join(root, 'ui'),
    configFile: join(root, 'ui/vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: output, emptyOutDir: true },
  })
  for await (const name of new Bun.Glob('**/*.{js,css,html,svg}').scan(output)) await compress(join(output, name))
  console.log(`The web console is built in ${outAt === -1 ? 'ui/dist' : output}.`)
}

async function compress(path: string): Promise<void> {
  const bytes = await Bun.file(path).bytes()
  if (bytes.length < compressedBytesMin) return
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  await Bun.write(`${path}.br`, brotliCompressSync(bytes, { params }))
  await Bun.write(`${path}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }))
}
