/**
 * An embedding model that runs in this process: ONNX files in a directory, by the optional package
 * @huggingface/transformers. Nothing is ever fetched from the network. The model runs on a thread of
 * its own (local-embedder-worker.ts), which is started by the first text and holds one model.
 */
import { Worker } from 'node:worker_threads'
import { ownScript } from '#lib/own-scripts.ts'
import type { LocalResponse, LocalRequest } from './local-embedder-worker.ts'
import { EmbedFailure, type Embedder, type EmbedRequest } from './embedder.ts'

export interface LocalEmbedderOptions {
  /** The setting documents.local_model_dir. */
  readonly modelDirectory: string
  /** What runs on the thread: local-embedder-worker.ts when left out. */
  readonly script?: URL
}

interface Waiting {
  readonly resolve: (vectors: readonly Float32Array[]) => void
  readonly reject: (reason: unknown) => void
}

export class LocalEmbedder implements Embedder, AsyncDisposable {
  readonly name = 'local'
  readonly batchMax = 32
  readonly warning = null
  readonly #options: LocalEmbedderOptions
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | null = null
  #asked = 0
  #closed = false

  constructor(options: LocalEmbedderOptions) {
    this.#options = options
  }

  /** Rejects with EmbedFailure, or with the signal's reason once it is aborted. */
  async embed({ texts, purpose, signal }: EmbedRequest): Promise<readonly Float32Array[]> {
    const vectors: Float32Array[] = []
    for (let from = 0; from < texts.length; from += this.batchMax)
      vectors.push(...(await this.#ask(texts.slice(from, from + this.batchMax), purpose, signal)))
    return vectors
  }

  /** Ends the thread. What waits for it fails. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    const worker = this.#worker
    if (worker === null) return
    this.#lose(worker, 'The server is stopping.')
    await worker.terminate()
  }

  async #ask(
    texts: readonly string[],
    purpose: EmbedRequest['purpose'],
    signal: AbortSignal,
  ): Promise<readonly Float32Array[]> {
    signal.throwIfAborted()
    if (this.#closed) throw broken('The server is stopping.')
    const worker = (this.#worker ??= this.#start())
    const { promise, resolve, reject } = Promise.withResolvers<readonly Float32Array[]>()
    this.#asked += 1
    const id = this.#asked
    this.#waiting.set(id, { resolve, reject })
    // The model cannot be stopped inside a batch; what it still gives is dropped.
    const leave = (): void => reject(signal.reason)
    signal.addEventListener('abort', leave)
    worker.ref()
    worker.postMessage({ id, texts, purpose } satisfies LocalRequest)
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', leave)
      this.#waiting.delete(id)
      if (this.#waiting.size === 0) worker.unref()
    }
  }

  #start(): Worker {
    const script = this.#options.script ?? ownScript('documents/embedders/local-embedder-worker.ts')
    const worker = new Worker(script, { workerData: this.#options.modelDirectory })
    worker.on('message', (answer: LocalResponse) => this.#settle(answer))
    worker.on('error', () => this.#lose(worker, 'The thread of the local embedding model broke down.'))
    worker.on('exit', () => this.#lose(worker, 'The thread of the local embedding model ended.'))
    return worker
  }

  #settle(answer: LocalResponse): void {
    const waiting = this.#waiting.get(answer.id)
    if ('vectors' in answer) return waiting?.resolve(answer.vectors)
    const { code, message, retryable, internal } = answer
    waiting?.reject(new EmbedFailure(code, message, { retryable, cause: new Error(internal) }))
  }

  /** Another thread is started by the next text. */
  #lose(worker: Worker, message: string): void {
    if (this.#worker !== worker) return
    this.#worker = null
    for (const { reject } of this.#waiting.values()) reject(broken(message))
  }
}

function broken(message: string): EmbedFailure {
  return new EmbedFailure('embedder_failed', message, { retryable: true })
}
