/** What the parts of the form are given. */
import type { ApiError } from '../../api/api-error.ts'
import type { ChangeDraft, ModelDraft } from './draft.ts'

export interface FieldsProps {
  readonly draft: ModelDraft
  readonly change: ChangeDraft
  /** What the server found wrong when it was last asked. */
  readonly error: ApiError | null
}

/** The server's message when the field at fault is this one or lies within it; for `error` of a Field. */
export function messageAt(error: ApiError | null, param: string): string | null {
  if (error === null || error.param === null) return null
  return error.param === param || error.param.startsWith(`${param}.`) ? error.message : null
}
