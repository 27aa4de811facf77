/** Lists the models that a provider offers, and imports the chosen ones. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { allGroupsQuery, allModelsQuery } from '../../api/queries.ts'
import type { ImportedModels, ModelRecord, Provider, ProviderTest } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { CheckList, type CheckListOption } from '../../components/check-list.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FieldGroup } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { countText } from '../../components/format.ts'
import { Skeleton } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { everyoneId } from '../groups/queries.ts'
import styles from './import-models-dialog.module.css'
import { offeredModelsQuery, refreshProviders } from './queries.ts'
import { TestResult } from './test-result.tsx'

export function ImportModelsDialog({
  provider,
  onClose,
}: {
  readonly provider: Provider
  readonly onClose: () => void
}) {
  const queryClient = useQueryClient()
  const offered = useQuery(offeredModelsQuery(provider.id))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [openTo, setOpenTo] = useState<ReadonlySet<string>>(new Set([everyoneId]))
  const [result, setResult] = useState<ImportedModels | null>(null)
  async function importChosen(): Promise<void> {
    setResult(null)
    const body = { ids: [...chosen], groups: [...openTo] }
    const next = await api('POST /admin/api/v1/providers/{id}/import-models', { params: { id: provider.id }, body })
    await refreshProviders(queryClient)
    setChosen(new Set())
    setResult(next)
    if (next.imported.length > 0) toast(`Imported ${countText(next.imported.length, 'model')}`)
    if (next.skipped.length === 0) onClose()
  }
  return (
    <FormDialog
      size="large"
      onClose={onClose}
      title={`Models of ${provider.name}`}
      description="The provider was asked just now. Each model keeps the provider’s name; you can add aliases and limits later."
      cancelLabel="Close"
      submitLabel={chosen.size === 0 ? 'Import' : `Import ${countText(chosen.size, 'model')}`}
      disabled={chosen.size === 0}
      onSubmit={importChosen}
    >
      <OfferedModels id={provider.id} />
      {result !== null && <Skipped {...result} />}
      {offered.data?.ok === true && (
        <ModelChoice offered={offered.data} picks={{ chosen, openTo }} onChoose={setChosen} onOpenTo={setOpenTo} />
      )}
    </FormDialog>
  )
}

/** The result of the test, with a button that repeats a failed test. */
function OfferedModels({ id }: { readonly id: string }) {
  const { data, error, isFetching, refetch } = useQuery(offeredModelsQuery(id))
  if (isFetching) return <Skeleton lines={3} label="Asking the provider" />
  if (error !== null) return <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return null
  return (
    <>
      <TestResult test={data} />
      {!data.ok && (
        <div>
          <Button onClick={() => void refetch()}>Test again</Button>
        </div>
      )}
    </>
  )
}

interface ModelChoiceProps {
  readonly offered: ProviderTest
  readonly picks: { readonly chosen: ReadonlySet<string>; readonly openTo: ReadonlySet<string> }
  readonly onChoose: (models: ReadonlySet<string>) => void
  readonly onOpenTo: (groups: ReadonlySet<string>) => void
}

function ModelChoice({ offered, picks: { chosen, openTo }, onChoose, onOpenTo }: ModelChoiceProps) {
  const { data: models } = useQuery(allModelsQuery)
  const { data: groups = [] } = useQuery(allGroupsQuery)
  if (models === undefined) return <Skeleton lines={3} label="Loading models" />
  return (
    <>
      <FieldGroup label="Models to import">
        <CheckList label="Models" withAll options={optionsOf(offered, models)} chosen={chosen} onChange={onChoose} />
      </FieldGroup>
      <FieldGroup
        label="Open to"
        hint={
          openTo.size === 0
            ? 'Choose a group. Without one, nobody can use the models.'
            : 'Members of these groups can use the models.'
        }
      >
        <CheckList
          label="Groups"
          options={groups.map(({ id, name }) => ({ value: id, label: name }))}
          chosen={openTo}
          onChange={onOpenTo}
        />
      </FieldGroup>
    </>
  )
}

const reasons = {
  name_taken: 'another model or alias has this name',
  not_offered: 'the provider no longer offers it',
  invalid_name: 'its name has spaces or is too long',
} as const

function Skipped({ skipped }: ImportedModels) {
  if (skipped.length === 0) return null
  return (
    <div role="status">
      <p>{countText(skipped.length, 'model')} not imported:</p>
      <ul className={styles.skipped}>
        {skipped.map(({ id, reason }) => (
          <li key={id}>
            <code>{id}</code>: {reasons[reason]}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Models whose names are taken cannot be chosen. */
function optionsOf({ models: offered }: ProviderTest, models: readonly ModelRecord[]): readonly CheckListOption[] {
  const taken = new Set(models.flatMap(({ name, aliases }) => [name, ...aliases]))
  return offered.map(({ id, context_length: length }) => ({
    value: id,
    label: id,
    ...(taken.has(id)
      ? { note: 'already exists', disabled: true }
      : length !== null && { note: `${length.toLocaleString('en')} tokens` }),
  }))
}
