/** How files are sent to the server: few at once, each with its own outcome. */
import { describe, expect, test } from 'bun:test'
import { ApiError } from '../../ui/src/api/api-error.ts'
import type { DocumentImportAnswer } from '../../ui/src/api/schema.d.ts'
import type { NamedFile } from '../../ui/src/routes/documents/import/named-file.ts'
import { UploadQueue, type SendOptions } from '../../ui/src/routes/documents/upload/upload-queue.ts'

/** A request that was sent and waits for its answer. */
interface Sent extends SendOptions {
  readonly name: string
  readonly resolve: (answer: DocumentImportAnswer) => void
  readonly reject: (error: unknown) => void
}

interface Setup {
  readonly queue: UploadQueue
  readonly sent: readonly Sent[]
  readonly accepted: () => number
}

/** A queue whose requests are answered by the test. */
function setup(fileBytesMax = Infinity): Setup {
  const sent: Sent[] = []
  let accepted = 0
  const queue = new UploadQueue({
    send: ({ name }, options) =>
      new Promise((resolve, reject) => {
        options.signal.addEventListener('abort', () => reject(options.signal.reason as Error))
        sent.push({ name, resolve, reject, ...options })
      }),
    onAccepted: () => (accepted += 1),
    fileBytesMax: () => fileBytesMax,
  })
  return { queue, sent, accepted: () => accepted }
}

const files = (count: number): readonly NamedFile[] =>
  Array.from({ length: count }, (_, index) => ({ name: `${index}.txt`, file: new File(['text'], `${index}.txt`) }))

const item = { name: 'a', bytes: '' as const, category: 'c', path: '', doc_id: 'id-1', owners: null }
const answer = (fields: Partial<DocumentImportAnswer>): DocumentImportAnswer => ({
  accepted: [],
  duplicate: [],
  invalid: [],
  ...fields,
})

const refusal = (status: number, code: string, retryAfterSeconds: number | null = null): ApiError =>
  new ApiError({ message: 'No.', code, status, param: null, requestId: 'r-1', retryAfterSeconds })

const kinds = ({ queue }: Setup): readonly string[] => queue.uploads().map(({ state }) => state.kind)
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('an upload queue', () => {
  test('sends three at once, and the next as soon as one has ended', async () => {
    const all = setup()
    all.queue.add(files(5), [['category', 'c']])
    expect(all.sent.map(({ name }) => name)).toEqual(['0.txt', '1.txt', '2.txt'])
    all.sent[1]?.resolve(answer({ accepted: [item] }))
    await settle()
    expect(all.sent.map(({ name }) => name)).toEqual(['0.txt', '1.txt', '2.txt', '3.txt'])
    expect(kinds(all)).toEqual(['sending', 'accepted', 'sending', 'sending', 'waiting'])
    expect(all.sent[3]?.fields).toEqual([['category', 'c']])
    expect(all.accepted()).toBe(1)
  })

  test('says of each file what the server said of it', async () => {
    const all = setup()
    all.queue.add(files(3), [])
    all.sent[0]?.resolve(answer({ duplicate: [item] }))
    all.sent[1]?.resolve(answer({ invalid: [{ ...item, reason: { code: 'empty', message: 'The file is empty.' } }] }))
    all.sent[2]?.reject(refusal(500, 'internal_error'))
    await settle()
    expect(all.queue.uploads().map(({ state }) => state)).toMatchObject([
      { kind: 'duplicate', documentId: 'id-1' },
      { kind: 'invalid', message: 'The file is empty.' },
      { kind: 'failed', error: { message: 'No.', requestId: 'r-1' } },
    ])
    expect(all.accepted()).toBe(0)
  })

  test('tells listeners of progress, and nobody once they have left', () => {
    const all = setup()
    let told = 0
    const leave = all.queue.subscribe(() => (told += 1))
    all.queue.add(files(1), [])
    const before = told
    all.sent[0]?.onProgress(0.5)
    expect(told).toBe(before + 1)
    expect(all.queue.uploads()[0]?.state).toEqual({ kind: 'sending', sent: 0.5 })
    leave()
    all.sent[0]?.onProgress(0.6)
    expect(told).toBe(before + 1)
  })

  test('does not send what is larger than the server takes', async () => {
    const all = setup(3)
    all.queue.add(files(1), [])
    await settle()
    expect(all.sent).toEqual([])
    expect(kinds(all)).toEqual(['invalid'])
  })

  test('a cancelled upload ends its request, stays cancelled, and makes room for the next', async () => {
    const all = setup()
    all.queue.add(files(4), [])
    all.queue.cancel(all.queue.uploads()[0]?.id ?? 0)
    expect(all.sent[0]?.signal.aborted).toBe(true)
    all.sent[0]?.onProgress(0.9)
    await settle()
    expect(kinds(all)).toEqual(['cancelled', 'sending', 'sending', 'sending'])
    all.queue.cancelAll()
    await settle()
    expect(kinds(all)).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled'])
    all.queue.retry(all.queue.uploads()[0]?.id ?? 0)
    expect(kinds(all)[0]).toBe('sending')
  })

  test('a refusal of what all files have in common is not asked for again for each of them', async () => {
    const all = setup()
    all.queue.add(files(5), [['embedder', 'forbidden']])
    all.queue.add(files(1), [])
    all.sent[0]?.reject(refusal(403, 'model_access_denied'))
    await settle()
    expect(kinds(all)).toEqual(['failed', 'sending', 'sending', 'failed', 'failed', 'sending'])
  })

  test('a server whose backlog is full is asked again after the time that it named', async () => {
    const all = setup()
    all.queue.add(files(2), [])
    all.sent[0]?.reject(refusal(503, 'backlog_full', 0))
    await settle()
    expect(kinds(all)[0]).not.toBe('failed')
    while (all.sent.length < 3) await settle()
    expect(all.sent[2]?.name).toBe('0.txt')
  })

  test('dismissing forgets what has ended and keeps what has not', async () => {
    const all = setup()
    all.queue.add(files(2), [])
    all.sent[0]?.resolve(answer({ accepted: [item] }))
    await settle()
    all.queue.dismiss()
    expect(all.queue.uploads().map(({ name }) => name)).toEqual(['1.txt'])
  })
})
