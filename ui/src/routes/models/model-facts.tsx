/** The known capabilities of a model, as badges. */
import { Badge } from '../../components/badge.tsx'
import type { UsableModel } from '../../api/schema.d.ts'
import styles from './model-facts.module.css'

export function ModelFacts({ model }: { readonly model: UsableModel }) {
  const { capabilities } = model
  const { endpoints = [], input = [], tools, reasoning, json_schema: jsonSchema } = capabilities
  const words = [
    ...endpoints.map((endpoint) => (capabilities.guessed === true ? `${endpoint}, by its name` : endpoint)),
    ...input.filter((each) => each !== 'text').map((each) => `${each} input`),
    ...(tools === true ? ['tools'] : []),
    ...(jsonSchema === true ? ['JSON schema'] : []),
    ...(reasoning === true ? ['reasoning'] : []),
  ]
  if (words.length === 0) return null
  return (
    <ul className={styles.facts} aria-label={`Capabilities of ${model.name}`}>
      {words.map((word) => (
        <li key={word}>
          <Badge>{word}</Badge>
        </li>
      ))}
    </ul>
  )
}
