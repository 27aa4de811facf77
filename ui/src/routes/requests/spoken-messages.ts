/** Logged content as a conversation: what each side said, whichever API it was sent to. */

export interface SpokenMessage {
  readonly role: string
  readonly text: string
}

export interface SpokenContent {
  /** What was sent, without the system prompt. */
  readonly messages: readonly SpokenMessage[]
  readonly system: string
  readonly answer: string
}

type Fields = Readonly<Record<string, unknown>>

const systemRoles: ReadonlySet<string> = new Set(['system', 'developer'])

/** Null for content that is not a conversation, or of which some is missing. */
export function spokenContent(request: string, answer: string | null): SpokenContent | null {
  const asked = objectOf(request)
  if (asked === null) return null
  const written = asked['messages'] ?? asked['input'] ?? asked['prompt']
  const messages = typeof written === 'string' ? [{ role: 'user', text: written }] : listOf(written).map(messageOf)
  if (messages.length === 0) return null
  const instructions = [textOf(asked['system']), textOf(asked['instructions'])]
  const system = [...instructions, ...messages.filter(({ role }) => systemRoles.has(role)).map(({ text }) => text)]
  return {
    messages: messages.filter(({ role, text }) => !systemRoles.has(role) && text !== ''),
    system: system.filter((text) => text !== '').join('\n\n'),
    answer: answer === null ? '' : answerOf(objectOf(answer) ?? {}),
  }
}

function messageOf({ role, content, type, output }: Fields): SpokenMessage {
  const name = [role, type].find((each) => typeof each === 'string')
  return { role: name ?? 'user', text: textOf(content ?? output) }
}

function answerOf({ choices, content, output }: Fields): string {
  const [choice] = listOf(choices)
  if (choice !== undefined) {
    const { message, text } = choice
    return isFields(message) ? textOf(message['content']) : textOf(text)
  }
  return textOf(
    content ??
      listOf(output)
        .filter(({ type }) => type === 'message')
        .flatMap((item) => item['content']),
  )
}

/** The texts of a content: a string, or a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : textOf(part['content'])))
    .filter((text) => text !== '')
    .join('\n')
}

function objectOf(json: string): Fields | null {
  try {
    const value: unknown = JSON.parse(json)
    return isFields(value) ? value : null
  } catch {
    return null
  }
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : []
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
