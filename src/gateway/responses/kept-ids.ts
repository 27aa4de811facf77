/**
 * Ids of what the gateway keeps. The id of an item begins with that of its response, so an item is found without
 * being looked for: `resp_` and 32 hexadecimal digits, `msg_` and those and four more that count the items.
 */
const responsePattern = /^resp_([0-9a-f]{32})$/
const conversationPattern = /^conv_[0-9a-f]{32}$/
const itemPattern = /^[a-z]+_([0-9a-f]{32})([0-9a-f]{4})$/

/** Items of the input are counted from here, those of the output from 0. */
const firstInput = 0x8000

/** A new random part. */
export function newHex(): string {
  return crypto.randomUUID().replaceAll('-', '')
}

export function keptResponseId(hex: string): string {
  return `resp_${hex}`
}

/** Whether the gateway may have made it; other servers can use the same form. */
export function isKeptResponseId(id: string): boolean {
  return responsePattern.test(id)
}

export function isKeptConversationId(id: string): boolean {
  return conversationPattern.test(id)
}

/** First the random part itself, for the response, then one for each item. */
export function idsOf(hex: string): () => string {
  let count = -1
  return () => {
    count += 1
    return count === 0 ? hex : hex + (count - 1).toString(16).padStart(4, '0')
  }
}

/** The id of an item of the output by its place. */
export function outputItemId(hex: string, index: number, prefix = 'msg'): string {
  return `${prefix}_${hex}${index.toString(16).padStart(4, '0')}`
}

/** The id of an input item that has none of its own. */
export function inputItemId(responseId: string, index: number, prefix = 'msg'): string {
  return `${prefix}_${responseId.slice('resp_'.length)}${(firstInput + index).toString(16)}`
}

/** The response that an item belongs to; null for an id of another form. */
export function responseOfItem(itemId: string): string | null {
  const hex = itemPattern.exec(itemId)?.[1]
  return hex === undefined ? null : keptResponseId(hex)
}
