/** What a model can be used for in the console. Unknown capabilities count as supported. */
import type { UsableModel } from './schema.d.ts'

/** True unless the model is known not to answer chats. */
export function supportsChat({ capabilities: { endpoints } }: UsableModel): boolean {
  return endpoints === undefined || endpoints.includes('chat/completions')
}

/** The models that have an endpoint: those that are known to have it, then those of which nothing is known. */
export function modelsWith(models: readonly UsableModel[], endpoint: string): readonly UsableModel[] {
  const known = models.filter(({ capabilities: { endpoints } }) => endpoints?.includes(endpoint) === true)
  return [...known, ...models.filter(({ capabilities: { endpoints } }) => endpoints === undefined)]
}

/** Models that look at images, as far as that is known. */
export function supportsImages({ capabilities: { input } }: UsableModel): boolean {
  return input === undefined || input.includes('image')
}
