/** The text of a picture, as a multimodal model writes it down. */
import { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import type { DocumentModels } from '../models.ts'

export interface PictureCall {
  readonly model: string
  readonly caller: Caller
  readonly prompt: string
  readonly picture: { readonly bytes: Uint8Array; readonly mediaType: string }
  readonly signal: AbortSignal
}

/** Rejects with the ApiError of the call, or of an answer without a text. */
export async function describePicture(
  models: Pick<DocumentModels, 'chatCompletion'>,
  { model, caller, prompt, picture, signal }: PictureCall,
): Promise<string> {
  const url = `data:${picture.mediaType};base64,${Buffer.from(picture.bytes).toString('base64')}`
  const content = [
    { type: 'image_url', image_url: { url } },
    { type: 'text', text: prompt },
  ]
  const body = { model, messages: [{ role: 'user', content }] }
  const answer = await models.chatCompletion({ caller, purpose: 'batch', body, signal })
  return contentOf(await answer.json())
}

function contentOf(completion: unknown): string {
  const { choices } = completion as { choices?: readonly { message?: { content?: unknown } }[] }
  const content = choices?.[0]?.message?.content
  if (typeof content === 'string') return content
  throw new ApiError('upstream_invalid_response', { message: 'The multimodal model answered without a text.' })
}
