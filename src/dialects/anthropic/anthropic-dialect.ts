/** The dialect of `POST /v1/messages`. */
import type { Dialect, TranslationContext } from '../dialect.ts'
import { MessageStream } from './answer/message-stream.ts'
import { messageOf, type MessageIds } from './answer/message.ts'
import { errorResponse } from './error-response.ts'
import { readMessagesRequest } from './request/messages-request.ts'

/** Anthropic Messages over chat completions. */
export const anthropicDialect: Dialect = {
  name: 'anthropic',
  effortField: 'output_config.effort',
  translate: (body, context) => {
    const request = readMessagesRequest(body)
    const ids = messageIds(context)
    return {
      chatBody: request.chatBody,
      dropped: request.dropped,
      whole: (answer) => messageOf(answer, request, ids),
      stream: () => new MessageStream(request, ids),
    }
  },
  errorResponse,
}

/** Ids of this API have a prefix and no hyphens. */
function messageIds(context: TranslationContext): MessageIds {
  const newId = (prefix: string) => `${prefix}_${context.newId().replaceAll('-', '')}`
  return { messageId: newId('msg'), newToolUseId: () => newId('toolu') }
}
