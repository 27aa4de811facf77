/**
 * The OpenAI Responses API, for providers that only know chat completions. Nothing is stored here: a
 * request carries its whole conversation, and what a server knows beyond it comes as `echo`.
 */
import { errorResponse } from '#errors/render.ts'
import type { Dialect, JsonObject, TranslatedRequest, TranslationContext } from '../dialect.ts'
import { readWholeAnswer } from '../chat/chat-answer.ts'
import { ResponseOutput } from './answer/response-output.ts'
import { readResponsesRequest } from './request/responses-request.ts'
import { outcomeOf, responseBody } from './answer/response-body.ts'
import { ResponseStream } from './answer/response-stream.ts'

/** OpenAI Responses over chat completions. */
export const responsesDialect: Dialect = {
  name: 'responses',
  effortField: 'reasoning.effort',
  translate,
  errorResponse,
}

function translate(body: JsonObject, context: TranslationContext): TranslatedRequest {
  const read = readResponsesRequest(body)
  const request = { ...read, echo: { ...read.echo, ...context.echo } }
  const createdAt = Math.floor(context.now / 1000)
  const newId = (): string => context.newId()
  const id = `resp_${newId()}`
  return {
    chatBody: request.chatBody,
    dropped: request.dropped,
    whole(answer) {
      const { model, serviceTier, usage, delta } = readWholeAnswer(answer)
      const outcome = outcomeOf(delta.finishReason)
      const output = new ResponseOutput({ ...request, emit: () => {}, newId })
      output.add(delta)
      output.close(outcome.status === 'incomplete')
      return responseBody(
        {
          id,
          createdAt,
          model: model ?? request.model,
          serviceTier,
          usage,
          outcome,
          output: output.snapshots(),
        },
        request.echo,
      )
    },
    stream: () => new ResponseStream({ request, id, createdAt, newId }),
    pending: () =>
      responseBody(
        {
          id,
          createdAt,
          model: request.model,
          serviceTier: null,
          usage: null,
          outcome: { status: 'queued' },
          output: [],
        },
        request.echo,
      ),
  }
}
