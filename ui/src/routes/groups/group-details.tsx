/** The members, models, budgets and rates of a group. */
import type { Group } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { BudgetPanel } from '../budgets/budget-panel.tsx'
import { RatePanel } from '../budgets/rate-panel.tsx'
import { GroupMembers } from './group-members.tsx'
import { GroupModels } from './group-models.tsx'

export function GroupDetails({ group, onClose }: { readonly group: Group; readonly onClose: () => void }) {
  const target = { scope: 'group', id: group.id, name: group.name } as const
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
          { value: 'budgets', label: 'Budgets', content: <BudgetPanel target={target} /> },
          { value: 'rates', label: 'Rates', content: <RatePanel target={target} /> },
        ]}
      />
    </Dialog>
  )
}
