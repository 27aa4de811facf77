/** The draft of a model that is edited, and its saving. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError, type ApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { changedFields, isTheirs } from '../../api/conflict.ts'
import { resource } from '../../api/queries.ts'
import type { ModelRecord } from '../../api/schema.d.ts'
import { toast } from '../../components/toast.tsx'
import { bodyOf, draftOf, isSame, type ChangeDraft, type ModelDraft } from './model-draft.ts'
import { modelQuery } from './queries.ts'

export interface EditedModel {
  readonly draft: ModelDraft
  readonly change: ChangeDraft
  /** There is something to save. */
  readonly isChanged: boolean
  readonly save: () => void
  readonly isSaving: boolean
  readonly error: ApiError | null
}

/** @param model as it was read last, perhaps later than the draft was begun */
export function useEditedModel(model: ModelRecord): EditedModel {
  const queryClient = useQueryClient()
  // What the draft was made of.
  const [base, setBase] = useState(model)
  const [draft, setDraft] = useState(() => draftOf(model))
  const begin = (from: ModelRecord): void => {
    setBase(from)
    setDraft(draftOf(from))
  }
  const isChanged = !isSame(draft, draftOf(base))
  if (model.etag !== base.etag && !isChanged) begin(model)
  async function show(saved: ModelRecord): Promise<void> {
    begin(saved)
    queryClient.setQueryData(modelQuery(model.id).queryKey, saved)
    await queryClient.invalidateQueries({ queryKey: resource.models })
  }
  const saving = useMutation({
    mutationFn: () => {
      const body = changedFields(bodyOf(draftOf(base)), bodyOf(draft))
      return api('PATCH /admin/api/v1/models/{id}', { params: { id: model.id }, body, of: base })
    },
    async onSuccess(saved) {
      toast(`Saved ${saved.name}`)
      await show(saved)
    },
    onError: (thrown) => isTheirs(thrown) && show(thrown.current as ModelRecord),
  })
  return {
    draft,
    change: (fields) => setDraft((before) => ({ ...before, ...fields })),
    isChanged,
    save: () => saving.mutate(),
    isSaving: saving.isPending,
    error: saving.error === null || isTheirs(saving.error) ? null : asApiError(saving.error),
  }
}
