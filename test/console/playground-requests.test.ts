/** What the playground sends for what was typed and said, the same as code, and the words that it marks. */
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { initialProgress } from '../../ui/src/api/stream-chat.ts'
import { chatFields, standardSettings } from '../../ui/src/routes/playground/chat/chat-settings-values.ts'
import {
  messagesOf,
  newAnswer,
  stopped,
  withAnswer,
  type Answer,
  type Question,
  type Turn,
} from '../../ui/src/routes/playground/chat/conversation.ts'
import { requestCode } from '../../ui/src/routes/playground/code/request-code.ts'
import { highlighted, searchWords } from '../../ui/src/components/highlight.ts'

const said = (text: string): Answer => ({
  ...newAnswer('m'),
  state: 'complete',
  progress: { ...initialProgress, text },
})
const asked = (text: string): Question => ({ text, images: [] })
const turn = (id: string, ...answers: readonly Answer[]): Turn => ({ id, question: asked(id), answers, schema: '' })
const red = { name: 'my red.png', url: 'data:image/png;base64,AAAA' }

describe('the messages of a request', () => {
  test('are those of one lane; a lane that was not there takes the first one’s answer', () => {
    const past = [turn('one', said('first')), turn('two', said('left'), said('right'))]
    const contents = (lane: number) =>
      messagesOf('', past, { lane, question: asked('three') }).map(({ content }) => content)
    expect(contents(0)).toEqual(['one', 'first', 'two', 'left', 'three'])
    expect(contents(1)).toEqual(['one', 'first', 'two', 'right', 'three'])
  })

  test('begin with the system prompt, and leave out a question that nobody answered', () => {
    const past = [turn('lost', { ...newAnswer('m'), state: 'failed' })]
    expect(messagesOf('Be brief.', past, { lane: 0, question: asked('again') })).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'again' },
    ])
  })

  test('carry images as image_url parts; one that was not stored is left out', () => {
    const question = { text: 'What?', images: [red, { name: 'gone.png', url: '' }] }
    expect(messagesOf('', [], { lane: 0, question })[0]?.content).toEqual([
      { type: 'text', text: 'What?' },
      { type: 'image_url', image_url: { url: red.url } },
    ])
  })
})

test('stopping ends what runs and keeps what came; what had ended stays as it was', () => {
  const running = withAnswer([turn('a', said('done'), newAnswer('n'))], { turnId: 'a', lane: 1 }, (answer) => ({
    ...answer,
    progress: { ...initialProgress, text: 'half' },
  }))
  const [{ answers } = turn('none')] = stopped(running)
  expect(answers.map(({ state, progress }) => [state, progress.text])).toEqual([
    ['complete', 'done'],
    ['stopped', 'half'],
  ])
})

describe('the fields of a request', () => {
  const model = { model: 'm', messages: [] }

  test('are only those that were filled in', () => {
    expect(chatFields(standardSettings, new Map(), model)).toEqual(model)
    const settings = {
      ...standardSettings,
      temperature: '0',
      topP: 'x',
      maxTokens: ' 7 ',
      overDocuments: true,
      topK: '3',
    }
    expect(chatFields(settings, new Map(), model)).toEqual({
      ...model,
      temperature: 0,
      max_tokens: 7,
      documents: { top_k: 3 },
    })
  })

  test('have a reasoning effort only for a model that takes it', () => {
    const settings = { ...standardSettings, effort: 'high' }
    expect(chatFields(settings, new Map([['m', ['low']]]), model)).not.toHaveProperty('reasoning_effort')
    expect(chatFields(settings, new Map([['m', ['high']]]), model)).toHaveProperty('reasoning_effort', 'high')
  })
})

describe('a request as code', () => {
  const question = { text: `It's "so" $HOME \`x\``, images: [red] }
  const fields = chatFields({ ...standardSettings, overDocuments: true, category: 'faq' }, new Map(), {
    model: 'm',
    messages: messagesOf('', [], { lane: 0, question }),
  })
  const [curl, python, typescript] = requestCode(fields, ['my red.png'], 'https://gate.example').map(({ code }) => code)

  test('in curl is what a shell passes on as JSON, the image read from its file', () => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-code-'))
    try {
      // In place of the real one: prints its last argument, which is the body.
      const fake = 'curl() { for last; do :; done; printf %s "$last"; }'
      const script = `${fake}\nprintf '\\001\\002\\003' > my-red.png\n${curl}`
      const { stdout, exitCode } = Bun.spawnSync(['sh', '-c', script], { cwd: directory })
      expect(exitCode).toBe(0)
      expect(JSON.parse(stdout.toString())).toEqual({
        ...fields,
        messages: [{ role: 'user', content: [{ type: 'text', text: question.text }, imageOf('AQID')] }],
        stream: true,
      })
    } finally {
      rmSync(directory, { recursive: true })
    }
  })

  test('in TypeScript is a program that sends the same fields', () => {
    const program = (typescript ?? '')
      .replace(/^import .*\n/gm, '')
      .replace(/const client = .*\n/, '')
      .replace(/^for await.*$/m, '')
      .replace('const stream = await client.chat.completions.create(', 'return (')
      .replace(' as object', '')
    // oxlint-disable-next-line typescript/no-implied-eval -- the text under test is a program
    const made: unknown = new Function('readFileSync', program)((name: string) => `(${name})`)
    expect(made).toEqual({
      ...fields,
      messages: [{ role: 'user', content: [{ type: 'text', text: question.text }, imageOf('(my-red.png)')] }],
      stream: true,
    })
  })

  test('in Python has the words of Python, and the gateway’s own field in extra_body', () => {
    expect(python).toContain('stream=True,')
    expect(python).toContain('extra_body={\n        "documents": {\n            "category": "faq",')
    expect(python).toContain('"data:image/png;base64," + base64.b64encode(open("my-red.png", "rb").read()).decode()')
    expect(python).toContain('base_url="https://gate.example/ai/v1"')
  })
})

const imageOf = (base64: string) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } })

describe('the words of a query', () => {
  test('are marked with their endings, whatever their case and accents; common ones are not', () => {
    const words = searchWords('What is the Café’s refund?')
    expect(words).toEqual(['cafe', 's', 'refund'])
    const hits = highlighted('Refunds: the CAFE is refunding, not funding.', words).filter(({ isHit }) => isHit)
    expect(hits.map(({ text }) => text)).toEqual(['Refunds', 'CAFE', 'refunding'])
  })

  test('are marked in a text that stays the same', () => {
    const text = 'a b. cc\n\nDDDD dddde'
    expect(
      highlighted(text, ['b', 'dddd'])
        .map((part) => part.text)
        .join(''),
    ).toBe(text)
  })
})
