/** What a model can be used for in the console, as far as that is known of it. */
import type { UsableModel } from './schema.d.ts'

/** Models that answer a chat. Unknown capabilities are no reason to leave one out. */
export function answersChat({ capabilities: { endpoints } }: UsableModel): boolean {
  return endpoints === undefined || endpoints.includes('chat/completions')
}

/** Models that look at pictures, as far as that is known. */
export function seesPictures({ capabilities: { input } }: UsableModel): boolean {
  return input === undefined || input.includes('image')
}
