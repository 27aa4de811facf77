/** Server-sent events as both dialects write them: the event's name is the type in its data. */
import type { JsonObject } from './dialect.ts'

/** The text of one event. */
export function typedEvent(data: JsonObject & { readonly type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}
