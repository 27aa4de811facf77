/** Reads the events of a streamed message as strictly as a client might, and puts the message together. */
import { expect } from 'bun:test'

type Json = Readonly<Record<string, unknown>>

interface MessageEvent extends Json {
  readonly type: string
}

export interface ReadBlock {
  readonly type: string
  readonly id?: string
  readonly name?: string
  text: string
  signature: string
}

export interface ReadMessage {
  readonly start: Json
  readonly blocks: readonly ReadBlock[]
  /** The data of message_delta; null for a message that did not end. */
  readonly delta: Json | null
  readonly error: Json | null
}

const deltaOf: Readonly<Record<string, readonly [block: string, field: string]>> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['thinking', 'signature'],
  input_json_delta: ['tool_use', 'partial_json'],
}

/** The events of a piece of a stream; fails for anything that is not `event:` and `data:` of one type. */
export function readEvents(sse: string): readonly MessageEvent[] {
  if (sse === '') return []
  expect(sse).toEndWith('\n\n')
  return sse
    .slice(0, -2)
    .split('\n\n')
    .map((each) => {
      const [, name, data] = /^event: (\w+)\ndata: ([^]*)$/.exec(each) ?? []
      const event = JSON.parse(data ?? 'null') as MessageEvent
      expect(event.type).toBe(name as string)
      return event
    })
}

/** The message of a whole stream. Fails for every sequence of events that the grammar does not allow. */
export function readMessage(sse: string): ReadMessage {
  const [first, ...events] = readEvents(sse)
  expect(first?.type).toBe('message_start')
  const blocks: ReadBlock[] = []
  let open: ReadBlock | null = null
  let delta: Json | null = null
  let error: Json | null = null
  let ended = false
  for (const event of events) {
    expect(ended).toBe(false)
    if (event.type === 'error') {
      error = event
      ended = true
      continue
    }
    if (event.type === 'message_stop') {
      expect(delta).not.toBeNull()
      ended = true
      continue
    }
    expect(delta).toBeNull()
    if (event.type === 'message_delta') {
      expect(open).toBeNull()
      delta = event
    } else if (event.type === 'content_block_start') {
      expect(open).toBeNull()
      expect(event['index']).toBe(blocks.length)
      open = { text: '', signature: '', ...beginning(event['content_block'] as Json) }
      blocks.push(open)
    } else {
      expect(event['index']).toBe(blocks.length - 1)
      if (open === null) throw new Error(`${event.type} outside of a block`)
      if (event.type === 'content_block_stop') open = null
      else extend(open, event)
    }
  }
  expect(ended).toBe(true)
  return { start: first as Json, blocks, delta, error }
}

function beginning(block: Json): Pick<ReadBlock, 'type' | 'id' | 'name'> {
  const { type, id, name } = block as unknown as ReadBlock
  expect(block).toMatchObject(
    { text: { text: '' }, thinking: { thinking: '', signature: '' }, tool_use: { input: {} } }[type] ?? {
      type: 'known',
    },
  )
  return type === 'tool_use' ? { type, id: id as string, name: name as string } : { type }
}

function extend(open: ReadBlock, event: MessageEvent): void {
  expect(event.type).toBe('content_block_delta')
  const delta = event['delta'] as MessageEvent
  const [block, field] = deltaOf[delta.type] ?? []
  expect(open.type).toBe(block as string)
  const value = delta[field as string] as string
  expect(value).not.toBe('')
  // A signature ends a thought.
  expect(open.signature).toBe('')
  if (field === 'signature') open.signature = value
  else open.text += value
}
