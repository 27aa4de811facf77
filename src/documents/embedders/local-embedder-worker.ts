/**
 * The thread of local-embedder.ts: loads the package and the model with the first question, and
 * answers one question after another. What cannot be loaded is tried again with the next question,
 * because both may be fixed while the server runs.
 */
import { basename, dirname, resolve } from 'node:path'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { importPackage } from '#lib/own-scripts.ts'
import type { EmbedFailureCode } from './embedder.ts'
import { readModelFiles, type LocalModelFiles } from './local-model-files.ts'

export interface LocalRequest {
  readonly id: number
  readonly texts: readonly string[]
  readonly purpose: 'passage' | 'query'
}

export type LocalResponse =
  | { readonly id: number; readonly vectors: readonly Float32Array[] }
  | {
      readonly id: number
      readonly code: EmbedFailureCode
      readonly message: string
      readonly retryable: boolean
      /** What the package said; for the log only. */
      readonly internal: string
    }

/** What is used of https://huggingface.co/docs/transformers.js (version 3 or 4). */
interface TransformersPackage {
  readonly env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string }
  readonly pipeline: (task: 'feature-extraction', model: string, options: object) => Promise<Extractor>
}

type Extractor = (
  texts: readonly string[],
  options: { readonly pooling: LocalModelFiles['pooling']; readonly normalize: boolean },
) => Promise<{ readonly data: Float32Array; readonly dims: readonly number[] }>

interface LoadedModel {
  readonly extract: Extractor
  readonly files: LocalModelFiles
}

/** A fault of the installation, with what to do about it. */
class Unusable extends Error {}

/** Not written into the import: the type checker and the bundle know of no such package. */
const packageName = '@huggingface/transformers'
let loading: Promise<LoadedModel> | null = null

function serve(port: MessagePort, directory: string): void {
  // One after another: the model uses all cores by itself.
  let last: Promise<void> = Promise.resolve()
  port.on('message', (question: LocalRequest) => {
    last = last.then(async () => port.postMessage(await answer(question, directory)))
  })
}

async function answer({ id, texts, purpose }: LocalRequest, directory: string): Promise<LocalResponse> {
  try {
    const { extract, files } = await (loading ??= load(directory))
    const prefix = files.prefix[purpose]
    const { data, dims } = await extract(
      texts.map((text) => prefix + text),
      { pooling: files.pooling, normalize: true },
    )
    const dimensions = dims.at(-1) ?? 0
    return { id, vectors: texts.map((_, at) => data.slice(at * dimensions, (at + 1) * dimensions)) }
  } catch (thrown) {
    if (thrown instanceof Unusable) {
      loading = null
      const { message, cause } = thrown
      return { id, code: 'embedder_unavailable', message, retryable: false, internal: String(cause) }
    }
    const message = 'The local embedding model failed.'
    return { id, code: 'embedder_failed', message, retryable: true, internal: String(thrown) }
  }
}

async function load(directory: string): Promise<LoadedModel> {
  const found = readModelFiles(directory)
  if (found.kind === 'missing') {
    throw new Unusable(
      `The directory of the setting documents.local_model_dir has no ${found.file}. Put an ONNX embedding model there, as the Hugging Face Hub lays it out.`,
    )
  }
  const { env, pipeline } = await loadPackage()
  const path = resolve(directory)
  env.allowRemoteModels = false
  env.allowLocalModels = true
  env.localModelPath = dirname(path)
  const { dtype } = found.files
  const options = { dtype, device: 'cpu', local_files_only: true }
  const extract = await pipeline('feature-extraction', basename(path), options).catch((cause: unknown) => {
    throw new Unusable('The model in the directory of the setting documents.local_model_dir cannot be loaded.', {
      cause,
    })
  })
  return { extract, files: found.files }
}

async function loadPackage(): Promise<TransformersPackage> {
  try {
    return (await importPackage(packageName)) as TransformersPackage
  } catch (cause) {
    throw new Unusable(
      'The embedder "local" needs a package that is not installed. Run "npm install @huggingface/transformers" in the directory of the server, or choose another embedder.',
      { cause },
    )
  }
}

if (parentPort !== null) serve(parentPort, String(workerData))
