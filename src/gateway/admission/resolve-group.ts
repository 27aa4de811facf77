/** Consumer groups of the generation interface: names of models that an administrator gives its clients. */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { ApiError } from '#errors/api-error.ts'

/** The name of the model behind a consumer group; the name itself when no group has it. */
export function modelOfGroup(settings: Pick<LiveSettings, 'get'>, group: string): string {
  const groups = settings.get('generation.consumer_groups')
  return Object.hasOwn(groups, group) ? (groups[group] ?? group) : group
}

/** What to throw instead of why no model was found or allowed: the client knows only its group. */
export function groupError(thrown: unknown, group: string): unknown {
  if (!(thrown instanceof ApiError)) return thrown
  const { code, message } = thrown
  const param = 'consumer_group'
  if (code === 'model_access_denied') return new ApiError(code, { param, message })
  if (code !== 'model_not_found') return thrown
  const shown = JSON.stringify(group.slice(0, 200))
  const advice = 'Name a model that GET /ai/v1/models lists, or ask an administrator to set generation.consumer_groups.'
  return new ApiError('consumer_group_not_found', {
    param,
    message: `No consumer group, model or alias is called ${shown}. ${advice}`,
  })
}
