/** What the parts of the form are given. */
import type { ChangeDraft, ModelDraft } from './draft.ts'

export interface FieldsProps {
  readonly draft: ModelDraft
  readonly change: ChangeDraft
}
