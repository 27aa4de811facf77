/** Models as a table. */
import { Link, useNavigate } from '@tanstack/react-router'
import { CopyButton } from '../../components/copy-button.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { compactText } from '../../components/format.ts'
import { RowLink } from '../../components/row-name.tsx'
import { comparedRate, kindOf, modelKinds, vendorOf } from './catalogue-facts.ts'
import { latencyText, priceText, speedText, uptimeText } from './figures.tsx'
import { firstTokenMs, type CatalogueModel } from './find-models.ts'
import type { ModelListProps } from './model-cards.tsx'
import styles from './model-table.module.css'
import { VendorMark } from './vendor-mark.tsx'

export function ModelTable({ models, currency }: ModelListProps) {
  const navigate = useNavigate()
  return (
    <DataTable
      label="Models"
      columns={[...factColumns(currency), ...performanceColumns]}
      rows={models}
      rowId={({ model }) => model.name}
      rowName={({ model }) => model.name}
      onOpen={({ model }) => void navigate({ to: '/models/about/$name', params: { name: model.name } })}
    />
  )
}

function factColumns(currency: string): readonly Column<CatalogueModel>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      min: 240,
      narrow: 200,
      grow: 2,
      sortBy: ({ model }) => model.name,
      cell: ({ model }) => (
        <span className={styles.name}>
          <VendorMark vendor={vendorOf(model)} size={24} />
          <RowLink name={model.name}>
            <Link to="/models/about/$name" params={{ name: model.name }} />
          </RowLink>
          <CopyButton text={model.name} what={`name ${model.name}`} />
        </span>
      ),
    },
    {
      id: 'kind',
      header: 'Kind',
      min: 110,
      priority: 4,
      sortBy: ({ model }) => kindOf(model),
      cell: ({ model }) => {
        const kind = kindOf(model)
        return kind === null ? '–' : modelKinds[kind].label
      },
    },
    {
      id: 'provider',
      header: 'Provider',
      min: 120,
      grow: 1,
      priority: 1,
      sortBy: ({ model }) => model.provider,
      cell: ({ model }) => model.provider,
    },
    {
      id: 'context',
      header: 'Context',
      min: 90,
      priority: 2,
      align: 'end',
      sortBy: ({ model }) => model.context_length,
      cell: ({ model }) => (model.context_length === null ? '–' : compactText(model.context_length)),
    },
    {
      id: 'price',
      header: 'Price',
      min: 150,
      priority: 3,
      align: 'end',
      sortBy: ({ model }) => comparedRate(model),
      cell: ({ model }) => priceText(model, currency) ?? '–',
    },
  ]
}

const performanceColumns: readonly Column<CatalogueModel>[] = [
  {
    id: 'latency',
    header: 'First token',
    min: 110,
    priority: 5,
    align: 'end',
    sortBy: ({ performance }) => firstTokenMs(performance),
    cell: ({ performance }) => latencyText(performance) ?? '–',
  },
  {
    id: 'speed',
    header: 'Speed',
    min: 120,
    priority: 6,
    align: 'end',
    sortBy: ({ performance }) => performance?.tokens_per_second ?? null,
    cell: ({ performance }) => speedText(performance) ?? '–',
  },
  {
    id: 'uptime',
    header: 'Uptime',
    min: 88,
    priority: 7,
    align: 'end',
    sortBy: ({ performance }) => performance?.uptime ?? null,
    cell: ({ performance }) => uptimeText(performance) ?? '–',
  },
  {
    id: 'requests',
    header: 'Requests',
    min: 96,
    priority: 8,
    align: 'end',
    sortBy: ({ performance }) => performance?.requests ?? null,
    cell: ({ performance }) => {
      const requests = performance?.requests ?? null
      return requests === null ? '–' : compactText(requests)
    },
  },
]
