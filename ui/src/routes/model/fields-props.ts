/** The properties of the parts of the form. */
import type { ChangeDraft, ModelDraft } from './model-draft.ts'

export interface FieldsProps {
  readonly draft: ModelDraft
  readonly change: ChangeDraft
}
