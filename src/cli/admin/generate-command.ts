/** `sluice generate`: asks a model about an image, or without one, and prints the answers as they arrive. */
import { basename } from 'node:path'
import { CommandFailure, UsageProblem, type Command, type GivenFlags } from '../command.ts'
import { dataCommand } from './data-command.ts'
import type { Output } from '../output.ts'

/** One event of the stream. */
interface TokenEvent {
  readonly text?: string
  readonly batch_id: number
  readonly incomplete?: boolean
  readonly error?: { readonly message: string }
}

export const generateCommand: Command = dataCommand({
  name: 'generate',
  summary: 'Ask a model one or several questions, about an image or without one, and print the answers as they arrive.',
  details: 'The answers to several questions come interleaved, line by line, each with the number of its question.',
  flags: {
    text: { type: 'string', placeholder: 'TEXT', repeatable: true, sentence: 'A question.' },
    image: { type: 'string', placeholder: 'FILE', sentence: 'The image that the questions are about.' },
    group: {
      type: 'string',
      placeholder: 'NAME',
      sentence: 'Consumer group, model or alias that answers; primary when left out.',
    },
    'max-tokens': { type: 'string', placeholder: 'N', sentence: 'Tokens of each answer at most; 128 when left out.' },
  },
  async run(client, { flags, output }) {
    const texts = flags.all('text')
    if (texts.length === 0) throw new UsageProblem('"sluice generate" needs a question: --text TEXT.')
    const payload = payloadOf(texts, flags)
    const image = flags.get('image')
    const response =
      image === undefined
        ? await client.request('POST', '/generate_stream', new Blob([payload], { type: 'application/json' }))
        : await client.request('POST', '/image_generate_stream', await formOf(payload, image))
    const printer = texts.length === 1 ? new PiecePrinter(output) : new LinePrinter(output)
    let failed = false
    for await (const event of eventsOf(response)) {
      if (output.json) output.result(event, [])
      if (event.error !== undefined) {
        failed = true
        printer.end()
        output.problems([`[${event.batch_id + 1}] ${event.error.message}`])
      } else printer.print(event)
    }
    printer.end()
    return failed ? 1 : 0
  },
})

function payloadOf(texts: readonly string[], flags: GivenFlags): string {
  const maxTokens = flags.get('max-tokens')
  if (maxTokens !== undefined && !/^[1-9]\d{0,8}$/.test(maxTokens))
    throw new UsageProblem('--max-tokens takes a whole number above 0.')
  return JSON.stringify({
    text: texts.length === 1 ? texts[0] : texts,
    consumer_group: flags.get('group') ?? null,
    max_new_tokens: maxTokens === undefined ? null : Number(maxTokens),
  })
}

async function formOf(payload: string, path: string): Promise<FormData> {
  const file = Bun.file(path)
  if (!(await file.exists())) throw new UsageProblem(`There is no file ${path}.`)
  const form = new FormData()
  form.append('json_data', new Blob([payload], { type: 'application/json' }))
  form.append('image_data', file, basename(path))
  return form
}

async function* eventsOf({ body }: Response): AsyncGenerator<TokenEvent, void> {
  if (body === null) throw new CommandFailure('The server sent no answer.')
  let held = ''
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (held + text).split('\n')
    held = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data:')) yield JSON.parse(line.slice(5)) as TokenEvent
  }
}

interface Printer {
  print(event: TokenEvent): void
  /** Ends the line that is open. */
  end(): void
}

/** One answer, each text as it arrives. */
class PiecePrinter implements Printer {
  readonly #output: Output
  #isOpen = false

  constructor(output: Output) {
    this.#output = output
  }

  print({ text = '' }: TokenEvent): void {
    if (text === '') return
    this.#output.piece(text)
    this.#isOpen = !text.endsWith('\n')
  }

  end(): void {
    if (this.#isOpen) this.#output.piece('\n')
    this.#isOpen = false
  }
}

/** Several answers, each line as soon as it is whole. */
class LinePrinter implements Printer {
  readonly #output: Output
  readonly #open = new Map<number, string>()

  constructor(output: Output) {
    this.#output = output
  }

  print({ text = '', batch_id: index }: TokenEvent): void {
    const lines = ((this.#open.get(index) ?? '') + text).split('\n')
    this.#open.set(index, lines.pop() ?? '')
    for (const line of lines) this.#write(index, line)
  }

  end(): void {
    for (const [index, line] of this.#open) if (line !== '') this.#write(index, line)
    this.#open.clear()
  }

  #write(index: number, line: string): void {
    this.#output.piece(`[${index + 1}] ${line}\n`)
  }
}
