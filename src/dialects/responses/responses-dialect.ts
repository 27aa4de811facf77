/**
 * The OpenAI Responses API, for providers that only know chat completions. Nothing is stored: a
 * request carries its whole conversation, and the answer says `store: false`.
 */
import { errorResponse } from '#errors/render.ts'
import type { Dialect, TranslatedRequest, TranslationContext } from '../dialect.ts'
import { readWholeAnswer } from './chat-answer.ts'
import type { Json } from './fields.ts'
import { Output } from './answer/response-output.ts'
import { readResponsesRequest } from './request/responses-request.ts'
import { outcomeOf, responseBody } from './answer/response-body.ts'
import { ResponseStream } from './answer/response-stream.ts'

export const responsesDialect: Dialect = {
  name: 'responses',
  effortField: 'reasoning.effort',
  translate,
  errorResponse,
}

function translate(body: Json, context: TranslationContext): TranslatedRequest {
  const request = readResponsesRequest(body)
  const createdAt = Math.floor(context.now / 1000)
  const newId = (): string => context.newId()
  return {
    chatBody: request.chatBody,
    whole(answer) {
      const { model, serviceTier, usage, said } = readWholeAnswer(answer)
      const outcome = outcomeOf(said.finishReason)
      const output = new Output({ tell: () => {}, newId, thoughtsAsSummary: request.thoughtsAsSummary })
      output.add(said)
      output.close(outcome.status === 'incomplete')
      return responseBody(
        {
          id: `resp_${newId()}`,
          createdAt,
          model: model ?? request.model,
          serviceTier,
          usage,
          outcome,
          output: output.values(),
        },
        request.echo,
      )
    },
    stream: () => new ResponseStream({ request, createdAt, newId }),
  }
}
