/** The steps of "Getting started", in their order, and which of them are done. */
import type { Guide } from '../../api/schema.d.ts'

export interface GuideStep {
  readonly id: 'password' | 'provider' | 'colleague' | 'answer' | 'key'
  readonly title: string
  readonly done: boolean
}

/** Those of an administrator or a user. */
export function guideSteps(guide: Guide): readonly GuideStep[] {
  return [
    { id: 'password', title: 'Choose your own password', done: guide.own_password },
    ...(guide.has_provider === null
      ? []
      : [{ id: 'provider' as const, title: 'Connect a provider', done: guide.has_provider }]),
    { id: 'answer', title: 'Get an answer', done: guide.answered },
    { id: 'key', title: 'Create an API key', done: guide.has_key },
    ...(guide.has_colleague === null
      ? []
      : [{ id: 'colleague' as const, title: 'Invite people', done: guide.has_colleague }]),
  ]
}
