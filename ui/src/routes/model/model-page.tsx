/** The editor of a model, for administrators. Models of the configuration file are read-only. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { allGroupsQuery, resource } from '../../api/queries.ts'
import type { ModelRecord } from '../../api/schema.d.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { lazyPart } from '../../components/lazy-part.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { toast } from '../../components/toast.tsx'
import { DeleteModel } from './delete-model.tsx'
import { bodyOf, copyOf, isSame, newDraft, type ModelDraft } from './model-draft.ts'
import { ModelForm } from './model-form.tsx'
import styles from './model-form.module.css'
import { modelTabs } from '../search.ts'
import { UnsavedGuard } from '../unsaved-guard.tsx'
import { modelQuery } from './queries.ts'
import { useEditedModel } from './use-edited-model.ts'

const ModelMoney = lazyPart(() => import('./model-money.tsx'), 'ModelMoney')

const newRoute = getRouteApi('/shell/models/new')
const route = getRouteApi('/shell/models/$id')

export function NewModelPage() {
  const { from, kind = 'plain' } = newRoute.useSearch()
  const original = useQuery({ ...modelQuery(from ?? ''), enabled: from !== undefined })
  const groups = useQuery(allGroupsQuery)
  const error = original.error ?? groups.error
  const isReady = groups.data !== undefined && (from === undefined || original.data !== undefined)
  // The server's default access for new models is the group "everyone".
  const everyone = groups.data?.filter(({ name }) => name === 'everyone').map(({ id }) => id) ?? []
  return (
    <>
      <PageHeader
        title={original.data === undefined ? 'New model' : `Copy of ${original.data.name}`}
        description="Requests can use it as soon as it is created."
      />
      {error !== null && <ErrorNotice error={asApiError(error)} />}
      {!isReady && error === null && <Skeleton lines={8} label="Loading" />}
      {isReady && (
        <Creation
          key={`${from ?? ''} ${kind}`}
          initial={original.data === undefined ? newDraft(kind, everyone) : copyOf(original.data)}
        />
      )}
    </>
  )
}

function Creation({ initial }: { readonly initial: ModelDraft }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [draft, setDraft] = useState(initial)
  const creating = useMutation({
    mutationFn: () => api('POST /admin/api/v1/models', { body: bodyOf(draft) }),
    async onSuccess(model) {
      toast(`Created ${model.name}`)
      await queryClient.invalidateQueries({ queryKey: resource.models })
      await navigate({ to: '/models/$id', params: { id: model.id }, replace: true, ignoreBlocker: true })
    },
  })
  return (
    <>
      <UnsavedGuard changed={isSame(draft, initial) ? null : draft.name || 'The new model'} />
      <ModelForm
        draft={draft}
        change={(fields) => setDraft((before) => ({ ...before, ...fields }))}
        error={creating.error && asApiError(creating.error)}
        self={null}
        readOnly={false}
        onSubmit={() => creating.mutate()}
        actions={
          <>
            <Link to="/models" search={{ reach: 'all' }} className={buttonClass()}>
              Cancel
            </Link>
            <Button type="submit" variant="primary" busy={creating.isPending}>
              Create the model
            </Button>
          </>
        }
      />
    </>
  )
}

export function ModelPage() {
  const { id } = route.useParams()
  const { data, error, isPending, refetch } = useQuery(modelQuery(id))
  if (data === undefined) {
    return (
      <>
        <PageHeader title="Model" />
        {error !== null && <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />}
        {isPending && <Skeleton lines={8} label="Loading the model" />}
      </>
    )
  }
  return <Editing key={data.id} model={data} />
}

function Editing({ model }: { readonly model: ModelRecord }) {
  const navigate = useNavigate()
  const { draft, change, isChanged, save, isSaving, error } = useEditedModel(model)
  const [deleting, setDeleting] = useState(false)
  const { tab = 'model' } = route.useSearch()
  const form = (
    <ModelForm
      draft={draft}
      change={change}
      error={error}
      self={model.id}
      readOnly={model.declared}
      onSubmit={save}
      actions={
        <>
          <Link to="/models" search={{ reach: 'all' }} className={buttonClass()}>
            Back to the models
          </Link>
          <Button type="submit" variant="primary" busy={isSaving}>
            Save
          </Button>
        </>
      }
    />
  )
  const goBack = (): void => void navigate({ to: '/models', search: { reach: 'all' }, ignoreBlocker: true })
  return (
    <>
      <PageHeader
        title={model.name}
        {...(model.declared && {
          description: 'The configuration file declares this model. Change it there.',
        })}
        actions={
          <>
            <Link to="/models/new" search={{ from: model.id }} className={buttonClass()}>
              <Icon name="copy" />
              Duplicate
            </Link>
            {!model.declared && (
              <Button className={styles.delete ?? ''} onClick={() => setDeleting(true)}>
                <Icon name="trash" />
                Delete
              </Button>
            )}
          </>
        }
      />
      <Tabs
        label="Model"
        value={tab}
        onChange={(next) =>
          void navigate({
            to: '/models/$id',
            params: { id: model.id },
            search: { tab: modelTabs.find((each) => each === next) },
            replace: true,
          })
        }
        tabs={[
          { value: 'model', label: 'Model', content: form },
          { value: 'cost', label: 'Prices and budgets', content: <ModelMoney model={model} /> },
        ]}
      />
      <UnsavedGuard changed={isChanged ? model.name : null} />
      <DeleteModel model={deleting ? model : null} onClose={() => setDeleting(false)} onDeleted={goBack} />
    </>
  )
}
