/** The name of a user or an API key, read when its row comes into view. */
import { useNames, type NameScope } from '../api/names.ts'

export interface RecordNameProps extends NameScope {
  readonly id: string | null
}

export function RecordName({ kind, reach, id }: RecordNameProps) {
  const [name] = useNames({ kind, reach }, [id])
  return <span title={name}>{name}</span>
}
