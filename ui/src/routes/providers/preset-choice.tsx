/** The choice of a preset for a new provider, or of none. */
import { useQuery } from '@tanstack/react-query'
import { asApiError } from '../../api/api-error.ts'
import type { ProviderPreset } from '../../api/schema.d.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import styles from './preset-choice.module.css'
import { presetsQuery } from './queries.ts'

export interface PresetChoiceProps {
  /** Null for a provider without a preset. */
  readonly onChoose: (preset: ProviderPreset | null) => void
}

export function PresetChoice({ onChoose }: PresetChoiceProps) {
  const presets = useQuery(presetsQuery)
  const at = (place: ProviderPreset['place']) => (presets.data ?? []).filter((preset) => preset.place === place)
  return (
    <>
      {presets.error !== null && (
        <ErrorNotice error={asApiError(presets.error)} onRetry={() => void presets.refetch()} />
      )}
      {presets.isPending && <Skeleton lines={4} label="Loading presets" />}
      {presets.data !== undefined && (
        <>
          <PresetGroup title="On this machine" presets={at('local')} onChoose={onChoose} />
          <PresetGroup title="Vendors" presets={at('vendor')} onChoose={onChoose} />
          <section className={styles.group}>
            <h3>Other</h3>
            <ul className={styles.list}>
              <li>
                <button type="button" className={styles.preset} onClick={() => onChoose(null)}>
                  <span className={styles.title}>Another provider</span>
                  <span className={styles.address}>Enter its URL and kind</span>
                </button>
              </li>
            </ul>
          </section>
        </>
      )}
    </>
  )
}

interface PresetGroupProps extends PresetChoiceProps {
  readonly title: string
  readonly presets: readonly ProviderPreset[]
}

function PresetGroup({ title, presets, onChoose }: PresetGroupProps) {
  return (
    <section className={styles.group}>
      <h3>{title}</h3>
      <ul className={styles.list}>
        {presets.map((preset) => (
          <li key={preset.name}>
            <button type="button" className={styles.preset} onClick={() => onChoose(preset)}>
              <span className={styles.title}>{preset.title}</span>
              <span className={styles.address}>{new URL(preset.base_url).host}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
