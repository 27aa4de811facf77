/** The dialect of `POST /v1/messages`. */
import type { Dialect, TranslationContext } from '../dialect.ts'
import { errorResponse } from './error-response.ts'
import { MessageStream } from './answer/message-stream.ts'
import { messageOf, type Ids } from './answer/message.ts'
import { understand } from './request/messages-request.ts'

/** Anthropic Messages over chat completions. */
export const anthropicDialect: Dialect = {
  name: 'anthropic',
  effortField: 'output_config.effort',
  translate: (body, context) => {
    const request = understand(body)
    const ids = idsOf(context)
    return {
      chatBody: request.chatBody,
      whole: (answer) => messageOf(answer, request, ids),
      stream: () => new MessageStream(request, ids),
    }
  },
  errorResponse,
}

/** Ids of the dialect have a prefix and no hyphens. */
function idsOf(context: TranslationContext): Ids {
  const fresh = (prefix: string) => `${prefix}_${context.newId().replaceAll('-', '')}`
  return { messageId: fresh('msg'), toolUseId: () => fresh('toolu') }
}
