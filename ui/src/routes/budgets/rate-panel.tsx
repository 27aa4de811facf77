/** The rates of one key, user, group, model or provider, for administrators. They are rules of the setting `limits.rates`. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import type { Setting } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { Select } from '../../components/input.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextField } from '../../components/text-field.tsx'
import { settingsQuery, useSettingChange } from '../settings/queries.ts'
import type { BudgetTarget } from './budget-draft.ts'
import styles from './budget-item.module.css'
import { newRate, ratesOn, ruleOf, type Rate, type RateDraft } from './rates.ts'

export function RatePanel({ target }: { readonly target: BudgetTarget }) {
  const { data, error, isPending, refetch } = useQuery(settingsQuery)
  const [opened, setOpened] = useState<'add' | Rate | null>(null)
  const setting = data?.find(({ name }) => name === 'limits.rates')
  const { own, common } = ratesOn(rulesOf(setting), target)
  const onClose = (): void => setOpened(null)
  return (
    <Panel
      title="Rates"
      actions={
        <Button disabled={setting === undefined} onClick={() => setOpened('add')}>
          <Icon name="plus" />
          Add rate
        </Button>
      }
    >
      {error !== null && <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />}
      {isPending && <Skeleton lines={2} label="Loading rates" />}
      {setting !== undefined && own.length + common.length === 0 && (
        <p className={styles.about}>There is no limit of requests or tokens in a time on {target.name}.</p>
      )}
      <ul className={styles.list}>
        {own.map((rate) => (
          <RateItem key={rate.text} rate={rate} onDelete={() => setOpened(rate)} />
        ))}
        {common.map((rate) => (
          <RateItem key={rate.text} rate={rate} note={`For each ${target.scope}. Change it in the settings.`} />
        ))}
      </ul>
      {setting !== undefined && opened === 'add' && <AddRate setting={setting} target={target} onClose={onClose} />}
      {setting !== undefined && opened !== null && opened !== 'add' && (
        <DeleteRate setting={setting} rate={opened} onClose={onClose} />
      )}
    </Panel>
  )
}

function rulesOf(setting: Setting | undefined): readonly string[] {
  return Array.isArray(setting?.value) ? setting.value.map(String) : []
}

interface RateItemProps {
  readonly rate: Rate
  readonly note?: string
  readonly onDelete?: () => void
}

function RateItem({ rate: { words, also }, note, onDelete }: RateItemProps) {
  return (
    <li className={styles.item}>
      <div className={styles.head}>
        <span className={styles.target}>{also === '' ? words : `${words} (${also})`}</span>
        {onDelete !== undefined && (
          <Button variant="quiet" icon aria-label={`Delete the rate of ${words}`} onClick={onDelete}>
            <Icon name="trash" />
          </Button>
        )}
      </div>
      {note !== undefined && <p className={styles.note}>{note}</p>}
    </li>
  )
}

interface AddRateProps {
  readonly setting: Setting
  readonly target: BudgetTarget
  readonly onClose: () => void
}

const windows = ['second', 'minute', 'hour', 'day'] as const

function AddRate({ setting, target, onClose }: AddRateProps) {
  // What the list is made of: it may be read again in the meantime.
  const [base] = useState(setting)
  const [draft, setDraft] = useState<RateDraft>(newRate)
  const change = (fields: Partial<RateDraft>): void => setDraft({ ...draft, ...fields })
  const saving = useSettingChange(base)
  async function add(): Promise<void> {
    await saving.mutateAsync([...rulesOf(base), ruleOf(draft, target)])
    onClose()
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Add a rate"
      description={`How much ${target.name} may ask for in a time. More is answered with 429, and when to come back.`}
      submitLabel="Add rate"
      onSubmit={add}
    >
      <Field label="Of what">
        <Select
          value={draft.unit}
          onChange={({ target: { value } }) => change({ unit: value === 'tokens' ? 'tokens' : 'requests' })}
        >
          <option value="requests">Requests</option>
          <option value="tokens">Tokens</option>
        </Select>
      </Field>
      <TextField
        label="How many"
        required
        inputMode="numeric"
        pattern="[1-9][0-9]{0,11}"
        placeholder="60"
        value={draft.amount}
        onChange={(amount) => change({ amount })}
      />
      <Field label="In a">
        <Select
          value={draft.window}
          onChange={(event) => change({ window: windows.find((each) => each === event.target.value) ?? 'minute' })}
        >
          {windows.map((window) => (
            <option key={window}>{window}</option>
          ))}
        </Select>
      </Field>
      <TextField
        label="At once (optional)"
        hint="Left out, all of them."
        inputMode="numeric"
        pattern="[1-9][0-9]{0,11}"
        value={draft.burst}
        onChange={(burst) => change({ burst })}
      />
    </FormDialog>
  )
}

interface DeleteRateProps {
  readonly setting: Setting
  readonly rate: Rate
  readonly onClose: () => void
}

function DeleteRate({ setting, rate, onClose }: DeleteRateProps) {
  const [base] = useState(setting)
  const saving = useSettingChange(base)
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Delete this rate?"
      consequence="Requests are no longer refused by it, from the next one on."
      confirm="Delete rate"
      names={[rate.words]}
      onConfirm={async () => {
        await saving.mutateAsync(rulesOf(base).filter((text) => text !== rate.text))
      }}
    />
  )
}
