/** A viewer of requests as they end: reads the events of one stream, from its `ready` on. */

export interface LiveEvent {
  readonly id: string
  readonly name: string
  readonly data: Readonly<Record<string, unknown>>
}

export class LiveStream implements AsyncDisposable {
  readonly #leaving = new AbortController()
  readonly #events: LiveEvent[] = []
  #ring = Promise.withResolvers<void>()
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>

  /** Resolves when the stream has begun: what ends from then on is in it. */
  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<LiveStream> {
    const leaving = new AbortController()
    const response = await fetch(url, { headers, signal: leaving.signal })
    if (response.status !== 200 || response.body === null)
      throw new Error(`no stream: ${response.status} ${await response.text()}`)
    const stream = new LiveStream(response.body, leaving)
    const { name } = await stream.next()
    if (name !== 'ready') throw new Error(`the stream began with ${name}`)
    return stream
  }

  private constructor(body: ReadableStream<Uint8Array>, leaving: AbortController) {
    this.#leaving = leaving
    this.ended = this.#read(body).catch(() => undefined)
  }

  /** Events that have come and were not taken. */
  get waiting(): readonly LiveEvent[] {
    return this.#events
  }

  /** The next event. Rejects when the stream ends before it. */
  async next(): Promise<LiveEvent> {
    for (;;) {
      const event = this.#events.shift()
      if (event !== undefined) return event
      const over = this.ended.then(() => true)
      if ((await Promise.race([over, this.#ring.promise])) === true && this.#events.length === 0)
        throw new Error('the stream has ended')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort()
    await this.ended
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const bytes of body) {
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      const events = blocks.flatMap((block) => eventOf(block) ?? [])
      if (events.length === 0) continue
      this.#events.push(...events)
      this.#ring.resolve()
      this.#ring = Promise.withResolvers<void>()
    }
  }
}

/** Null for a comment. */
function eventOf(block: string): LiveEvent | null {
  const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]))
  const data = fields.get('data')
  if (data === undefined) return null
  return { id: fields.get('id') ?? '', name: fields.get('event') ?? '', data: JSON.parse(data) as LiveEvent['data'] }
}
