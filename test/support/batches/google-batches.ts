/** The words of the Gemini API for the simulated provider: files of requests, operations, files of results. */
interface GoogleLine {
  readonly key: string
  readonly request: { readonly content?: { readonly parts: readonly { readonly text: string }[] } }
}

interface GoogleBatch {
  readonly id: string
  readonly model: string
  readonly token: string
  readonly createdAt: number
  readonly state: 'running' | 'ended' | 'cancelled'
}

/** The lines of a file that was uploaded as `multipart/related`; null for another body. */
export function googleLines(contentType: string | null, body: string): readonly GoogleLine[] | null {
  const boundary = /^multipart\/related; boundary=(\S+)$/.exec(contentType ?? '')?.[1]
  const parts = boundary === undefined ? [] : body.split(`--${boundary}`)
  const [, about = '', content = '', end] = parts.map((part) => part.slice(part.indexOf('\r\n\r\n') + 4))
  if (end === undefined || !about.includes('"mimeType":"application/jsonl"')) return null
  return content
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as GoogleLine)
}

/** A batch as a long-running operation. */
export function googleBatch({ id, model, token, createdAt, state }: GoogleBatch): object {
  const ended = model === 'failed' ? 'FAILED' : model === 'partial' ? 'EXPIRED' : 'SUCCEEDED'
  const states = { running: 'BATCH_STATE_RUNNING', cancelled: 'BATCH_STATE_CANCELLED', ended: `BATCH_STATE_${ended}` }
  const output = state === 'running' ? {} : { responsesFile: `files/out-${id}` }
  return {
    name: `batches/${id}`,
    metadata: {
      model: `models/${model}`,
      displayName: `sluice-${token}`,
      createTime: new Date(createdAt).toISOString(),
      state: states[state],
      output,
    },
    done: state !== 'running',
    ...(model === 'failed' && state === 'ended'
      ? { error: { code: 13, message: 'failed' } }
      : { response: { '@type': 'type.googleapis.com/google.ai.generativelanguage.v1main.Output', ...output } }),
  }
}

/** One line of a file of results. */
export function googleResult(key: string, status: number, line: GoogleLine | undefined): object {
  if (status === 400) return { key, error: { code: 3, message: 'no' } }
  if (status !== 200) return { key, error: { code: 14, message: 'busy' } }
  const { content } = line?.request ?? {}
  // So that a test can see which text a vector is of.
  if (content !== undefined)
    return { key, response: { embedding: { values: [content.parts[0]?.text.length ?? 0, 1] } } }
  return { key, response: generated('batch') }
}

/** A GenerateContentResponse. */
export function generated(text: string): object {
  return {
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 100, totalTokenCount: 1100 },
    modelVersion: 'gemini',
  }
}
