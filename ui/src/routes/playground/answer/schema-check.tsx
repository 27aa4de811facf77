/** Says whether a JSON text follows a schema, and where it does not. Loads with the first schema. */
import { useMemo } from 'react'
import { Badge } from '../../../components/badge.tsx'
import { schemaFaults } from './schema-faults.ts'
import styles from './schema-check.module.css'

export interface SchemaCheckProps {
  readonly text: string
  /** A JSON schema, as it was typed. */
  readonly schema: string
  /** What is checked: "answer". */
  readonly what: string
}

const faultsShown = 5

export function SchemaCheck({ text, schema, what }: SchemaCheckProps) {
  const faults = useMemo(() => schemaFaults(text, schema), [text, schema])
  if (faults.length === 0)
    return (
      <Badge tone="success">
        the {what} follow{what.endsWith('s') ? '' : 's'} the schema
      </Badge>
    )
  return (
    <div className={styles.check} role="group" aria-label={`Faults of the ${what}`}>
      <Badge tone="danger">
        the {what} {what.endsWith('s') ? 'do' : 'does'} not follow the schema
      </Badge>
      <ul className={styles.faults}>
        {faults.slice(0, faultsShown).map(({ place, problem }, at) => (
          <li key={at}>
            {place !== '' && <code>{place}</code>} {problem}
          </li>
        ))}
        {faults.length > faultsShown && <li>and {faults.length - faultsShown} more</li>}
      </ul>
    </div>
  )
}
