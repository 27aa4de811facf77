/**
 * The first step of a batch: every line of its file is checked, and the lines become jobs, or the batch has failed and
 * says which lines are at fault. The file is read line by line.
 */
import { resolveModel } from '#gateway/admission/resolve-model.ts'
import { nativeUpstream } from '#gateway/native-call.ts'
import { toApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import type { Batch } from '#store/batches/batch-row.ts'
import type { BatchPart, ClaimedJob, ValidBatch } from '#store/batches/batch-jobs.ts'
import type { StoredFile } from '#store/batches/files.ts'
import type { Batches } from '../batches.ts'
import { newId } from '../files/files.ts'
import { outputName } from '../files/result-pieces.ts'
import { checkLine, readLine, type LineFault } from '../lines/batch-line.ts'
import { inputLines, type InputLine } from '../lines/input-lines.ts'
import type { InputFiles } from './input-files.ts'

/** A fault of the file as the batch shows it. */
interface BatchError extends LineFault {
  readonly line: number | null
}

const errorsMax = 100
const partLines = 100
const partBytes = 262_144
/** A part that goes to a provider is one batch there. It is held in memory while it is sent. */
const nativeLines = 10_000
const nativeBytes = 8_388_608
const dayMs = 86_400_000

/** Rejects with LeaseLost when the batch was stopped or taken over, and with BlobMissing where its file cannot be read. */
export async function validateBatch(batches: Batches, inputs: InputFiles, { batch, lease }: ClaimedJob): Promise<void> {
  const { store, now } = batches
  const input = await batches.files.files.find(batch.inputFileId)
  const check = new FileCheck(batches, batch)
  if (input === null) check.refuse({ code: 'file_not_found', message: 'The input file is gone.', param: null }, null)
  else {
    using file = await inputs.open(input)
    const lineBytesMax = batches.gateway.settings.get('server.max_body_bytes')
    for await (const line of inputLines(file.blob, lineBytesMax)) if (!check.add(line)) break
    check.end()
  }
  const at = await now()
  if (check.errors.length > 0) return store.refuse(lease, JSON.stringify(check.errors), at)
  await store.accept(
    lease,
    {
      total: check.total,
      parts: check.parts,
      nativeModels: check.nativeModels,
      model: check.onlyModel,
      ...outputsOf(batch),
    },
    at,
  )
}

/** The rows of the files that a batch will write. */
export function outputsOf(batch: Batch): Pick<ValidBatch, 'output' | 'errors'> {
  return { output: outputOf(batch, false), errors: outputOf(batch, true) }
}

/** The row of a file that the batch will write. */
function outputOf({ id, userId, createdAt, dialect }: Batch, isError: boolean): StoredFile {
  return {
    id: newId('file-'),
    userId,
    blobId: crypto.randomUUID(),
    sha256: null,
    purpose: dialect === 'async' ? 'async' : 'batch_output',
    name: outputName(id, isError),
    bytes: 0,
    createdAt,
    expiresAt: null,
    place: null,
  }
}

/** How long the files of a batch are kept. */
export function filesLifeMs({ gateway }: Pick<Batches, 'gateway'>, { filesExpireMs }: Batch): number {
  return filesExpireMs ?? gateway.settings.get('batches.retention_days') * dayMs
}

class FileCheck {
  readonly errors: BatchError[] = []
  readonly parts: BatchPart[] = []
  total = 0
  readonly #batches: Batches
  readonly #batch: Batch
  readonly #linesMax: number
  /** Hashes of the clients' ids: two ids with one hash are as good as one id twice. */
  readonly #customIds = new Set<bigint | number>()
  /** What is wrong with a model, or null; the key is its name. */
  readonly #models = new Map<string, LineFault | null>()
  readonly #caller: Caller | null
  /** The part that grows, of lines that run here (null), or of a model whose provider runs them. */
  readonly #open = new Map<string | null, OpenPart>()
  /** Whether a model's lines are run by its provider; the key is the model's name. */
  readonly #isNative = new Map<string, boolean>()
  readonly #isNativeBatch: boolean

  constructor(batches: Batches, batch: Batch) {
    this.#batches = batches
    this.#batch = batch
    this.#linesMax = batches.gateway.settings.get('batches.max_lines')
    this.#caller = batches.callerOf(batch)
    const hasNative = batches.gateway.catalog().models.some(({ record }) => record.batch === 'native')
    // A provider has a day for a batch, and an async request is to be answered sooner.
    this.#isNativeBatch = hasNative && batch.dialect !== 'async' && batch.expiresAt - batch.createdAt >= dayMs
  }

  get nativeModels(): readonly string[] {
    return [...this.#isNative].flatMap(([model, isNative]) => (isNative ? [model] : []))
  }

  /** The one that all lines name; null for several, and for lines that were not looked at. */
  get onlyModel(): string | null {
    const [model = null, another] = this.#models.keys()
    return another === undefined ? model : null
  }

  /** False when there is no use in looking further. */
  add({ line, position, bytes }: InputLine): boolean {
    this.total += 1
    if (this.total > this.#linesMax) {
      this.refuse(
        { code: 'too_many_tasks', message: `A batch may have ${this.#linesMax} requests at most.`, param: null },
        null,
      )
      return false
    }
    // Those of the other dialects were made by this server; what is wrong with a request is its own result.
    const isOwn = this.#batch.dialect !== 'openai'
    const fault = isOwn ? null : bytes === null ? tooLong : this.#faultOf(bytes)
    if (fault !== null) this.refuse(fault, line)
    this.#addToPart(this.#nativeModel(bytes), { line, position, bytes: bytes?.length ?? 0 })
    return this.errors.length < errorsMax
  }

  /** The file is over. */
  end(): void {
    for (const [model, part] of this.#open) this.#closePart(model, part)
    if (this.total === 0)
      this.refuse({ code: 'empty_file', message: 'The input file has no requests.', param: null }, null)
  }

  refuse(fault: LineFault, line: number | null): void {
    this.errors.push({ ...fault, line })
  }

  #faultOf(bytes: Buffer): LineFault | null {
    const checked = checkLine(bytes, this.#batch.endpoint)
    if ('code' in checked) return checked
    const hash = Bun.hash(checked.customId)
    if (this.#customIds.has(hash))
      return { code: 'duplicate_custom_id', message: 'An earlier line has the same "custom_id".', param: 'custom_id' }
    this.#customIds.add(hash)
    return this.#modelFault(checked.model)
  }

  #modelFault(model: string): LineFault | null {
    const known = this.#models.get(model)
    if (known !== undefined) return known
    const fault = this.#resolve(model)
    if (this.#models.size < errorsMax) this.#models.set(model, fault)
    return fault
  }

  #resolve(model: string): LineFault | null {
    if (this.#caller === null)
      return { code: 'invalid_api_key', message: 'The account or the key of this batch is gone.', param: null }
    try {
      resolveModel(this.#batches.gateway.catalog(), model, this.#caller)
      return null
    } catch (thrown) {
      const { code, message } = toApiError(thrown)
      return { code, message, param: 'body.model' }
    }
  }

  /** The model of a line that its provider runs; null for one that runs here. */
  #nativeModel(bytes: Buffer<ArrayBuffer> | null): string | null {
    if (this.#caller === null || bytes === null || !this.#isNativeBatch || this.errors.length > 0) return null
    const { model } = readLine(bytes)
    const isKnown = this.#isNative.get(model)
    if (isKnown !== undefined) return isKnown ? model : null
    const isNative = this.#isNative.size < errorsMax && this.#isRunByProvider(model, this.#caller)
    this.#isNative.set(model, isNative)
    return isNative ? model : null
  }

  #isRunByProvider(model: string, caller: Caller): boolean {
    try {
      return nativeUpstream(this.#batches.gateway, caller, { model, endpoint: this.#batch.endpoint }) !== null
    } catch {
      // Its own call says what is wrong.
      return false
    }
  }

  #addToPart(model: string | null, { line, position, bytes }: LinePlace): void {
    const [linesMax, bytesMax] = model === null ? [partLines, partBytes] : [nativeLines, nativeBytes]
    const open = this.#open.get(model)
    if (open !== undefined && (open.lines === linesMax || position + bytes - open.position > bytesMax))
      this.#closePart(model, open)
    const part = this.#open.getOrInsertComputed(model, () => ({ firstLine: line, position, end: 0, lines: 0 }))
    part.lines += 1
    part.end = position + bytes
  }

  #closePart(nativeModel: string | null, { firstLine, position, end }: OpenPart): void {
    const native = nativeModel === null ? null : ({ phase: 'new' } as const)
    this.parts.push({ part: this.parts.length + 1, firstLine, position, bytes: end - position, nativeModel, native })
    this.#open.delete(nativeModel)
  }
}

interface LinePlace {
  readonly line: number
  readonly position: number
  readonly bytes: number
}

interface OpenPart {
  readonly firstLine: number
  readonly position: number
  /** Where its last line ends. */
  end: number
  lines: number
}

const tooLong: LineFault = {
  code: 'invalid_json_line',
  message: 'The line is longer than a request may be.',
  param: null,
}
