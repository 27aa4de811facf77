/**
 * Takes known secrets out of bytes on their way, whatever pieces they come in. All other bytes stay as
 * they are. Bytes are held back only while they may be the beginning of a secret.
 */
import { Buffer } from 'node:buffer'

/** A shorter secret is a word of everyday text ("EMPTY", "ollama"): taking it out would damage answers. Characters. */
export const secretCharsMin = 12

const mark = Buffer.from('[secret]')

/** Secrets in every form in which a JSON or text answer can repeat them. */
export class SecretSet {
  /** The longest first, so that a secret that contains another goes as a whole. */
  readonly forms: readonly Buffer[]
  /** One for each byte that a form holds: pieces that end in another byte end no beginning of a secret. */
  readonly bytes = new Uint8Array(256)
  readonly #texts: readonly string[]

  constructor(secrets: Iterable<string>) {
    const forms = new Set<string>()
    for (const secret of secrets) {
      if (secret.length < secretCharsMin) continue
      const inJson = JSON.stringify(secret).slice(1, -1)
      for (const form of [secret, inJson, inJson.replaceAll('/', String.raw`\/`), encodeURIComponent(secret)])
        forms.add(form)
    }
    this.#texts = [...forms]
    this.forms = this.#texts.map((form) => Buffer.from(form)).sort((a, b) => b.length - a.length)
    for (const form of this.forms) for (const byte of form) this.bytes[byte] = 1
  }

  /** True when there is nothing to take out. */
  get isEmpty(): boolean {
    return this.forms.length === 0
  }

  #isIn(text: string): boolean {
    for (const form of this.#texts) if (text.length >= form.length && text.includes(form)) return true
    return false
  }

  /** The text without the secrets. */
  redact(text: string): string {
    if (!this.#isIn(text)) return text
    const stream = new ByteRedaction(this)
    return Buffer.concat([stream.push(Buffer.from(text)), stream.end()]).toString()
  }
}

const none: Buffer = Buffer.alloc(0)

/** One stream of bytes. Any split of the input gives the same output. */
export class ByteRedaction {
  readonly #forms: readonly Buffer[]
  readonly #bytes: Uint8Array
  #held: Buffer = none

  constructor(secrets: SecretSet) {
    this.#forms = secrets.forms
    this.#bytes = secrets.bytes
  }

  /** What may go on now; empty when all of it is held back. The same bytes, not a copy, when they hold no secret. */
  push(chunk: Uint8Array): Uint8Array {
    if (this.#held.length === 0 && Buffer.isBuffer(chunk) && !this.#mayHold(chunk)) return chunk
    const bytes =
      this.#held.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
        : Buffer.concat([this.#held, chunk])
    const { clean, end } = this.#clean(bytes)
    const rest = bytes.subarray(end)
    const heldLength = this.#secretBeginning(rest)
    this.#held = heldLength === 0 ? none : Buffer.from(rest.subarray(rest.length - heldLength))
    const tail = rest.subarray(0, rest.length - heldLength)
    return clean.length === 0 ? tail : Buffer.concat([...clean, tail])
  }

  /** The bytes that were held back: nothing follows, so they are not a secret. */
  end(): Uint8Array {
    const rest = this.#held
    this.#held = none
    return rest
  }

  /** Whether the bytes hold a secret, or end as one begins. */
  #mayHold(bytes: Buffer): boolean {
    for (const form of this.#forms) if (bytes.includes(form)) return true
    return this.#secretBeginning(bytes) > 0
  }

  /** The bytes before the last whole secret, with marks in place of secrets, and where that secret ends. */
  #clean(bytes: Buffer): { readonly clean: readonly Buffer[]; readonly end: number } {
    const clean: Buffer[] = []
    const nextAt = this.#forms.map((form) => bytes.indexOf(form))
    let end = 0
    for (;;) {
      let first = -1
      for (const [index, form] of this.#forms.entries()) {
        let at = nextAt[index] ?? -1
        if (at >= 0 && at < end) nextAt[index] = at = bytes.indexOf(form, end)
        if (at >= 0 && (first < 0 || at < (nextAt[first] ?? -1))) first = index
      }
      if (first < 0) return { clean, end }
      const at = nextAt[first] ?? end
      clean.push(bytes.subarray(end, at), mark)
      end = at + (this.#forms[first]?.length ?? 0)
    }
  }

  /** Length of the longest end of the bytes with which a secret may begin. */
  #secretBeginning(bytes: Buffer): number {
    let longest = 0
    if (this.#bytes[bytes[bytes.length - 1] ?? 0] === 0) return 0
    for (const form of this.#forms) {
      for (let length = Math.min(form.length - 1, bytes.length); length > longest; length--) {
        const from = bytes.length - length
        if (bytes[from] === form[0] && bytes.compare(form, 0, length, from) === 0) longest = length
      }
    }
    return longest
  }
}
