/** A setting: its description, value and source, and how to change it. */
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import type { Setting } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { Switch } from '../../components/switch.tsx'
import { EditSettingDialog } from './edit-setting-dialog.tsx'
import { useSettingChange } from './queries.ts'
import styles from './setting-row.module.css'
import { shownValue } from './setting-text.ts'
import { titleOfSetting } from './setting-titles.ts'

export function SettingRow({ setting }: { readonly setting: Setting }) {
  const { name, sentence, value, unit, variable, source, editable } = setting
  const title = titleOfSetting(name)
  const [editing, setEditing] = useState(false)
  const change = useSettingChange(setting)
  const isSwitch = editable && typeof value === 'boolean'
  return (
    <li className={styles.row}>
      <div className={styles.about}>
        <p className={styles.name}>
          {title}
          <SourceBadge source={source} />
        </p>
        <p className={styles.sentence}>{sentence}</p>
        <p className={styles.facts}>
          Default: {shownValue(setting.default, unit)} · <code>{name}</code> · <code>{variable}</code>
        </p>
      </div>
      <div className={value === null ? `${styles.value} ${styles.unset}` : styles.value}>
        {isSwitch ? (
          <Switch
            label={title}
            labelHidden
            // Shown at once, and reverted when the server refuses the change.
            checked={change.isPending ? (change.variables ?? setting.default) === true : value}
            onChange={(on) => change.mutate(on)}
          />
        ) : (
          shownValue(value, unit)
        )}
      </div>
      <div className={styles.actions}>
        {source === 'admin page' && (
          <Button
            variant="quiet"
            icon
            aria-label={`Reset ${title} to its default`}
            title="Reset to the default"
            busy={change.isPending}
            onClick={() => change.mutate(null)}
          >
            <Icon name="retry" />
          </Button>
        )}
        {editable && !isSwitch && (
          <Button aria-label={`Edit ${title}`} onClick={() => setEditing(true)}>
            Edit
          </Button>
        )}
        {!editable && setting.class === 'live' && <Badge>read-only</Badge>}
        {setting.class === 'boot' && <Badge>needs a restart</Badge>}
      </div>
      {change.error !== null && (
        <div className={styles.notice}>
          <ErrorNotice error={asApiError(change.error)} />
        </div>
      )}
      {editing && <EditSettingDialog setting={setting} onClose={() => setEditing(false)} />}
    </li>
  )
}

function SourceBadge({ source }: { readonly source: string }) {
  if (source === 'default') return null
  return (
    <Badge tone={source === 'admin page' ? 'accent' : 'neutral'}>{source === 'admin page' ? 'set here' : source}</Badge>
  )
}
