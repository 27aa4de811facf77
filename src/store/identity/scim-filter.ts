/** A filter of a provisioning service as SQL. Which attributes there are is decided here; how a filter is written, in src/admin/scim. */
import { sql, type RawBuilder, type SqlBool } from 'kysely'

export type ScimOperator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'

/** Attributes are in lower case, with dots. */
export type ScimFilter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly ScimFilter[] }
  | { readonly kind: 'not'; readonly filter: ScimFilter }
  | { readonly kind: 'present'; readonly attribute: string }
  | {
      readonly kind: 'compare'
      readonly attribute: string
      readonly operator: ScimOperator
      readonly value: string | number | boolean | null
    }

/** A filter names what cannot be asked for. */
export class UnknownAttribute extends Error {
  constructor(attribute: string) {
    super(`"${attribute}" cannot be filtered by, or not with this value.`)
    this.name = 'UnknownAttribute'
  }
}

type Text = { readonly type: 'text' | 'exact'; readonly column: RawBuilder<string | null> }
type Column =
  | Text
  | { readonly type: 'time'; readonly column: RawBuilder<number> }
  | { readonly type: 'boolean'; readonly column: RawBuilder<SqlBool> }
  /** A list: true when some value of it matches. */
  | {
      readonly type: 'some'
      readonly matching: (value: string) => RawBuilder<SqlBool>
      readonly any: RawBuilder<SqlBool>
    }
  /** The same for all records. */
  | { readonly type: 'constant'; readonly value: string | boolean }

export type ScimColumns = Readonly<Record<string, Column>>

const text = (column: RawBuilder<string | null>): Column => ({ type: 'text', column })

export const userColumns: ScimColumns = {
  id: { type: 'exact', column: sql`u.id` },
  username: text(sql`coalesce(s.user_name, u.email)`),
  externalid: { type: 'exact', column: sql`s.external_id` },
  displayname: text(sql`u.name`),
  'name.formatted': text(sql`u.name`),
  'name.givenname': text(sql`s.given_name`),
  'name.familyname': text(sql`s.family_name`),
  active: { type: 'boolean', column: sql`u.disabled = 0` },
  emails: text(sql`u.email`),
  'emails.value': text(sql`u.email`),
  'emails.type': { type: 'constant', value: 'work' },
  'emails.primary': { type: 'constant', value: true },
  'meta.created': { type: 'time', column: sql`u.created_at` },
  'meta.lastmodified': { type: 'time', column: sql`u.updated_at` },
  'meta.resourcetype': { type: 'constant', value: 'User' },
  groups: memberOf(),
  'groups.value': memberOf(),
}

export const groupColumns: ScimColumns = {
  id: { type: 'exact', column: sql`g.id` },
  displayname: text(sql`g.name`),
  externalid: { type: 'exact', column: sql`s.external_id` },
  members: hasMember(),
  'members.value': hasMember(),
  'meta.created': { type: 'time', column: sql`g.created_at` },
  'meta.resourcetype': { type: 'constant', value: 'Group' },
}

function memberOf(): Column {
  return {
    type: 'some',
    matching: (id) => sql`exists (select 1 from memberships m where m.user_id = u.id and m.group_id = ${id})`,
    any: sql`exists (select 1 from memberships m where m.user_id = u.id)`,
  }
}

function hasMember(): Column {
  return {
    type: 'some',
    matching: (id) => sql`exists (select 1 from memberships m where m.group_id = g.id and m.user_id = ${id})`,
    any: sql`exists (select 1 from memberships m where m.group_id = g.id)`,
  }
}

const always = sql<SqlBool>`1 = 1`
const never = sql<SqlBool>`1 = 0`

/** The condition. Throws UnknownAttribute. */
export function scimCondition(filter: ScimFilter | null, columns: ScimColumns): RawBuilder<SqlBool> {
  if (filter === null) return always
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const parts = filter.filters.map((each) => scimCondition(each, columns))
      return sql`(${sql.join(parts, filter.kind === 'and' ? sql` and ` : sql` or `)})`
    }
    case 'not':
      return sql`(not ${scimCondition(filter.filter, columns)})`
    case 'present':
      return present(columnOf(filter.attribute, columns))
    case 'compare':
      return compare(columnOf(filter.attribute, columns), filter)
  }
}

function columnOf(attribute: string, columns: ScimColumns): Column {
  const column = Object.hasOwn(columns, attribute) ? columns[attribute] : undefined
  if (column === undefined) throw new UnknownAttribute(attribute)
  return column
}

function present(column: Column): RawBuilder<SqlBool> {
  if (column.type === 'text' || column.type === 'exact') return sql`coalesce(${column.column}, '') <> ''`
  return column.type === 'some' ? column.any : always
}

type Comparison = Extract<ScimFilter, { kind: 'compare' }>

function compare(column: Column, { operator, value, attribute }: Comparison): RawBuilder<SqlBool> {
  switch (column.type) {
    case 'constant': {
      const isSame = String(column.value).toLowerCase() === String(value).toLowerCase()
      return isSame === (operator !== 'ne') ? always : never
    }
    case 'boolean':
      return (String(value).toLowerCase() === 'true') === (operator !== 'ne')
        ? column.column
        : sql`not ${column.column}`
    case 'some':
      return operator === 'ne' ? sql`not ${column.matching(String(value))}` : column.matching(String(value))
    case 'time': {
      const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
      if (Number.isNaN(at)) throw new UnknownAttribute(attribute)
      return sql`${column.column} ${sql.raw(signs[operator] ?? '=')} ${at}`
    }
    default:
      return compareText(column, operator, String(value ?? ''))
  }
}

const signs: Readonly<Partial<Record<ScimOperator, string>>> = { ne: '<>', gt: '>', ge: '>=', lt: '<', le: '<=' }

function compareText({ type, column }: Text, operator: ScimOperator, value: string): RawBuilder<SqlBool> {
  const [left, right] = type === 'exact' ? [column, value] : [sql`lower(${column})`, value.toLowerCase()]
  const known = sql`coalesce(${left}, '')`
  if (operator === 'co' || operator === 'sw' || operator === 'ew') {
    const literal = right.replaceAll(/[\\%_]/g, String.raw`\$&`)
    const pattern = `${operator === 'sw' ? '' : '%'}${literal}${operator === 'ew' ? '' : '%'}`
    return sql`${known} like ${pattern} escape '\\'`
  }
  // An equal value is what an index is asked for; without a value there is none.
  return operator === 'eq' ? sql`${left} = ${right}` : sql`${known} ${sql.raw(signs[operator] ?? '=')} ${right}`
}
