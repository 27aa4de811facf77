/** The members, models and budgets of a group. */
import type { Group } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { BudgetPanel } from '../budgets/budget-panel.tsx'
import { GroupMembers } from './group-members.tsx'
import { GroupModels } from './group-models.tsx'

export function GroupDetails({ group, onClose }: { readonly group: Group; readonly onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={group.name}
      size="large"
      {...(group.description !== '' && { description: group.description })}
      actions={<Button onClick={onClose}>Done</Button>}
    >
      <Tabs
        label="Group"
        tabs={[
          { value: 'members', label: 'Members', content: <GroupMembers group={group} /> },
          { value: 'models', label: 'Models', content: <GroupModels group={group} /> },
          {
            value: 'budgets',
            label: 'Budgets',
            content: <BudgetPanel target={{ scope: 'group', id: group.id, name: group.name }} />,
          },
        ]}
      />
    </Dialog>
  )
}
