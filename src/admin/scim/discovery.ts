/** What a provisioning service reads first: what this server can do, and which attributes it has (RFC 7643, 5 to 7). */
import { ApiError } from '#errors/api-error.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { groupSchema, listOf, pageMax, userSchema } from './resources.ts'
import { scimRoute, type ScimEndpoint } from './scim-endpoint.ts'

type Fields = Readonly<Record<string, unknown>>

const configuration: Fields = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: pageMax },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'API key',
      description: 'An API key of an administrator or a service account, as a bearer token',
      primary: true,
    },
  ],
}

const resourceTypes = [
  { id: 'User', endpoint: '/Users', description: 'People', schema: userSchema },
  { id: 'Group', endpoint: '/Groups', description: 'Groups of people', schema: groupSchema },
].map((type) => ({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'], name: type.id, ...type }))

const text = {
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
} as const
const attribute = (name: string, description: string, rest: Fields = {}): Fields => ({
  name,
  description,
  ...text,
  ...rest,
})
const reading = { mutability: 'readOnly' } as const

const schemas: readonly Fields[] = [
  {
    id: userSchema,
    name: 'User',
    description: 'A person',
    attributes: [
      attribute('userName', 'Name at the service', { required: true, uniqueness: 'server' }),
      attribute('externalId', 'Id at the service', { caseExact: true }),
      attribute('displayName', 'Name for people'),
      attribute('name', 'Parts of the name', {
        type: 'complex',
        subAttributes: [
          attribute('formatted', 'The whole name'),
          attribute('givenName', 'Given name'),
          attribute('familyName', 'Family name'),
        ],
      }),
      attribute('active', 'False refuses sign-in and all keys', { type: 'boolean' }),
      attribute('emails', 'The e-mail address; one is kept', {
        type: 'complex',
        multiValued: true,
        subAttributes: [
          attribute('value', 'The address', { uniqueness: 'server' }),
          attribute('type', 'Always work', { canonicalValues: ['work'] }),
          attribute('primary', 'Always true', { type: 'boolean' }),
        ],
      }),
      attribute('groups', 'Groups of the user', {
        type: 'complex',
        multiValued: true,
        ...reading,
        subAttributes: [attribute('value', 'Id of the group', reading), attribute('display', 'Its name', reading)],
      }),
    ],
  },
  {
    id: groupSchema,
    name: 'Group',
    description: 'A group of people',
    attributes: [
      attribute('displayName', 'Name of the group', { required: true, caseExact: true, uniqueness: 'server' }),
      attribute('externalId', 'Id at the service', { caseExact: true }),
      attribute('members', 'People in the group', {
        type: 'complex',
        multiValued: true,
        subAttributes: [
          attribute('value', 'Id of the user', { mutability: 'immutable' }),
          attribute('display', 'Address of the user', reading),
        ],
      }),
    ],
  },
].map((schema) => ({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'], ...schema }))

export function scimDiscoveryRoutes(admin: Admin): Route<Caller>[] {
  const rows: readonly ScimEndpoint[] = [
    {
      method: 'GET',
      path: '/ServiceProviderConfig',
      operation: 'getScimConfiguration',
      summary: 'What this server can do',
      handle: ({ base }) => located(configuration, 'ServiceProviderConfig', `${base}/ServiceProviderConfig`),
    },
    ...catalogue('ResourceTypes', 'ScimResourceTypes', 'Which resources there are', resourceTypes),
    ...catalogue('Schemas', 'ScimSchemas', 'Which attributes resources have', schemas),
  ]
  return rows.map((row) => scimRoute(admin, row))
}

function catalogue(name: string, operation: string, summary: string, all: readonly Fields[]): readonly ScimEndpoint[] {
  const onWire = (base: string) => (each: Fields) =>
    located(each, name.slice(0, -1), `${base}/${name}/${String(each['id'])}`)
  return [
    {
      method: 'GET',
      path: `/${name}`,
      operation: `list${operation}`,
      summary,
      handle: ({ base }) =>
        listOf({ total: all.length, items: all.map(onWire(base)) }, { startIndex: 1, count: all.length }),
    },
    {
      method: 'GET',
      path: `/${name}/:name`,
      operation: `get${operation.slice(0, -1)}`,
      summary: `${summary}: one of them`,
      handle({ context, base }) {
        const found = all.find(({ id }) => id === context.params['name'])
        if (found === undefined) throw new ApiError('not_found')
        return onWire(base)(found)
      },
    },
  ]
}

function located(resource: Fields, resourceType: string, location: string): Fields {
  return { ...resource, meta: { resourceType, location } }
}
