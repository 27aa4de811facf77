/** The name of a user, an API key or a group, read when its row comes into view. */
import { CellName } from '../components/row-name.tsx'
import { useNames, type NameSource } from '../api/names.ts'

export interface RecordNameProps extends NameSource {
  readonly id: string | null
}

export function RecordName({ kind, scope, id }: RecordNameProps) {
  const [name] = useNames({ kind, scope }, [id])
  return <CellName name={name ?? ''} />
}
