/** The groups that may use the model. */
import { useQuery } from '@tanstack/react-query'
import { allGroupsQuery } from '../../api/queries.ts'
import { CheckList } from '../../components/check-list.tsx'
import { FieldGroup } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import type { FieldsProps } from './fields-props.ts'
import styles from './model-form.module.css'

export function AccessFields({ draft, change }: FieldsProps) {
  const { data: groups = [] } = useQuery(allGroupsQuery)
  return (
    <Panel title="Access">
      <div className={styles.fields}>
        <FieldGroup label="Groups" hint="Only members of these groups can use the model." param="groups">
          <CheckList
            label="Groups"
            options={groups.map(({ id, name, description }) => ({
              value: id,
              label: name,
              ...(description !== '' && { note: description }),
            }))}
            chosen={draft.groups}
            onChange={(chosen) => change({ groups: chosen })}
          />
        </FieldGroup>
        {draft.groups.size === 0 && (
          <Notice tone="warning">Choose a group. Without one, nobody can use the model.</Notice>
        )}
      </div>
    </Panel>
  )
}
