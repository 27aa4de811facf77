/** What is left of "Getting started", on the overview until all is done or the user puts it away. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button, buttonClass } from '../../components/button.tsx'
import { Panel } from '../../components/panel.tsx'
import { guideSteps } from './guide-steps.ts'
import { guideQuery, useGuideHiding } from './queries.ts'
import styles from './welcome-page.module.css'

export function GuideCard() {
  const guide = useQuery(guideQuery).data
  const hiding = useGuideHiding()
  if (guide === undefined || guide.hidden) return null
  const steps = guideSteps(guide)
  const next = steps.find(({ done }) => !done)
  if (next === undefined) return null
  return (
    <div className={styles.card}>
      <Panel
        title="Getting started"
        actions={
          <span className={styles.actions}>
            <Link to="/welcome" className={buttonClass('primary')}>
              Continue
            </Link>
            <Button busy={hiding.isPending} onClick={() => hiding.mutate(true)}>
              Put away
            </Button>
          </span>
        }
      >
        <p>
          {steps.filter(({ done }) => done).length} of {steps.length} steps are done. Next: {next.title}.
        </p>
      </Panel>
    </div>
  )
}
