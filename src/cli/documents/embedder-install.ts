/**
 * `sluice embedders install`: brings the files of a local embedding model from a folder or a mirror to the data directory, and
 * tries it. Nothing is fetched from anywhere but the address that was named, and where that redirects to.
 */
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CommandFailure, UsageProblem, type Command } from '../command.ts'
import { readConfiguration } from '../configuration.ts'
import { ProgressLine } from './progress-line.ts'
import type { Output } from '../output.ts'

/** Files of a model in the layout of the Hugging Face Hub. */
const required = ['config.json', 'tokenizer.json']
const optional = [
  'tokenizer_config.json',
  'special_tokens_map.json',
  '1_Pooling/config.json',
  'config_sentence_transformers.json',
]
/** From the smallest: of these a machine without much memory has most. */
const weights = ['model_quantized', 'model_int8', 'model_uint8', 'model_q4', 'model_q4f16', 'model_fp16', 'model']
const fileBytesMax = 8 * 1024 ** 3
const silenceMs = 60_000

const install: Command = {
  name: 'embedders install',
  summary: 'Install a local embedding model from a folder or a mirror, and try it.',
  details:
    'SOURCE is a folder, or an address below which the files of the model lie, in the layout of the Hugging Face Hub. For example: sluice embedders install https://mirror.example.org/multilingual-e5-small. Only this address is asked, and where it redirects to.',
  positionals: [{ name: 'SOURCE', sentence: 'A folder, or an http: or https: address.' }],
  flags: {
    name: {
      type: 'string',
      placeholder: 'NAME',
      sentence: 'What the model is called; the last part of SOURCE when left out.',
    },
    weights: {
      type: 'string',
      placeholder: 'FILE',
      sentence: `Which weights: one of ${weights.join(', ')}; the first of these that is there when left out.`,
    },
  },
  async run({ positionals: [source = ''], flags, output }) {
    const { settings } = readConfiguration(flags)
    const name = flags.get('name') ?? basename(source.replace(/\/+$/, ''))
    if (!/^[\w][\w.-]{0,99}$/.test(name))
      throw new UsageProblem('Name the model: --name NAME, of letters, digits, ., - and _.')
    const chosen = flags.get('weights')
    if (chosen !== undefined && !weights.includes(chosen))
      throw new UsageProblem(`--weights takes one of ${weights.join(', ')}.`)
    const folder = resolve(settings['data_dir'], 'embedders', name)
    await bring(openOrigin(source), { folder, weights: chosen === undefined ? weights : [chosen], output })
    const dimensions = await tried(folder, output)
    output.result({ name, folder, dimensions }, [
      `Installed ${name}${dimensions === null ? '' : `, whose vectors have ${dimensions} numbers`}.`,
      `To use it: documents.local_model_dir=${folder} and documents.embedder=local. Restart the server.`,
    ])
    return 0
  },
}

export const embedderCommands: readonly Command[] = [install]

/** Where the files come from. */
interface Origin {
  /** The content of a file, and its size when that is known; null when there is none. */
  open(file: string): Promise<{ readonly content: Readable; readonly bytes: number | null } | null>
}

function openOrigin(source: string): Origin {
  return /^https?:\/\//i.test(source) ? mirror(source.replace(/\/+$/, '')) : folderOf(resolve(source))
}

function folderOf(folder: string): Origin {
  if (!existsSync(folder)) throw new UsageProblem(`There is no folder ${folder}.`)
  return {
    async open(file) {
      const path = join(folder, file)
      const about = await stat(path).catch(() => null)
      if (about?.isFile() !== true) return null
      return { content: Readable.fromWeb(Bun.file(path).stream() as never), bytes: about.size }
    },
  }
}

function mirror(address: string): Origin {
  return {
    async open(file) {
      const url = `${address}/${file}`
      const response = await fetch(url).catch((cause: unknown) => {
        throw new CommandFailure(`No answer came from ${url}. ${cause instanceof Error ? cause.message : ''}`.trim())
      })
      if (response.status === 404 || response.status === 403) return null
      if (!response.ok || response.body === null)
        throw new CommandFailure(`${url} answered with status ${response.status}.`)
      const length = Number(response.headers.get('content-length') ?? Number.NaN)
      return { content: Readable.fromWeb(response.body as never), bytes: Number.isSafeInteger(length) ? length : null }
    },
  }
}

interface BringOptions {
  readonly folder: string
  readonly weights: readonly string[]
  readonly output: Output
}

/** All files, or none: they are moved to their place when the last one is complete. */
async function bring(origin: Origin, { folder, weights: names, output }: BringOptions): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  const partial = await mkdtemp(`${folder}.partial-`)
  try {
    const take = (file: string): Promise<boolean> => takeFile(origin, file, { partial, output })
    for (const file of required)
      if (!(await take(file)))
        throw new CommandFailure(`There is no ${file}. Name the folder of a model with ONNX weights.`)
    for (const file of optional) await take(file)
    if (!(await takeWeights(names, take)))
      throw new CommandFailure(`There are no weights: none of ${names.map((each) => `onnx/${each}.onnx`).join(', ')}.`)
    // Put aside first: a command that is killed here leaves one of the two whole.
    const former = `${partial}.former`
    if (existsSync(folder)) await rename(folder, former)
    await rename(partial, folder)
    await rm(former, { recursive: true, force: true })
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

/** Large weights have their numbers in a file beside them. */
async function takeWeights(names: readonly string[], take: (file: string) => Promise<boolean>): Promise<boolean> {
  for (const name of names) {
    if (!(await take(`onnx/${name}.onnx`))) continue
    await take(`onnx/${name}.onnx_data`)
    return true
  }
  return false
}

async function takeFile(
  origin: Origin,
  file: string,
  { partial, output }: { readonly partial: string; readonly output: Output },
): Promise<boolean> {
  const found = await origin.open(file)
  if (found === null) return false
  using progress = new ProgressLine(output)
  const path = join(partial, file)
  await mkdir(dirname(path), { recursive: true })
  let received = 0
  const counted = new Transform({
    transform(piece: Uint8Array, _encoding, done) {
      received += piece.byteLength
      progress.show(received, found.bytes ?? received, `${file}: ${Math.round(received / 1_048_576)} MB`)
      done(received > fileBytesMax ? new CommandFailure(`${file} is larger than ${fileBytesMax} bytes.`) : null, piece)
    },
  })
  const silence = setInterval(watcher(), silenceMs)
  function watcher(): () => void {
    let before = -1
    return () => {
      if (received === before) counted.destroy(new CommandFailure(`Nothing more came of ${file} for a minute.`))
      before = received
    }
  }
  try {
    await pipeline(found.content, counted, createWriteStream(path, { flags: 'wx' }))
  } catch (thrown) {
    throw thrown instanceof CommandFailure
      ? thrown
      : new CommandFailure(`${file} could not be brought: ${String(thrown)}.`)
  } finally {
    clearInterval(silence)
  }
  if (found.bytes !== null && received !== found.bytes)
    throw new CommandFailure(`${file} is cut off: ${received} of ${found.bytes} bytes came.`)
  return true
}

/** The length of the model's vectors; null, with a remark, when it cannot be run here now. */
async function tried(modelDirectory: string, output: Output): Promise<number | null> {
  const { LocalEmbedder } = await import('#documents/embedders/local-embedder.ts')
  await using embedder = new LocalEmbedder({ modelDirectory })
  const request = { texts: ['A sentence.'], purpose: 'query' as const, signal: AbortSignal.timeout(silenceMs) }
  try {
    return (await embedder.embed(request))[0]?.length ?? null
  } catch (thrown) {
    output.remark(thrown instanceof Error ? thrown.message : String(thrown))
    return null
  }
}
