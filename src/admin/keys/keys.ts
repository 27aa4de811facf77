/** Routes of all users' API keys, for administrators. A user's own are in me.ts. */
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { requireFound, id } from '../fields.ts'
import { keyAnswer } from './key-record.ts'
import {
  changeKey,
  createdKey,
  createKey,
  deletedKeys,
  deleteKey,
  deleteKeys,
  getKey,
  keyChange,
  keyCreation,
  keyDeletion,
  keyPage,
  keyRotation,
  keysQuery,
  listKeys,
  rotateKey,
} from './key-handlers.ts'

const anyone = { owner: 'anyone' } as const

const tag = 'API keys'

export function keyRoutes(admin: Admin): Route<Caller>[] {
  return [...listRoutes(admin), ...recordRoutes(admin)]
}

function listRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  return [
    route({
      method: 'GET',
      path: '/keys',
      access: 'admin',
      summary: 'List API keys of all users',
      query: keysQuery.extend({ user_id: id.optional().describe('Only the keys of this user') }),
      answer: keyPage,
      errors: ['invalid_cursor'],
      handle: ({ query: { user_id: userId, ...page } }) => listKeys(admin, page, userId),
    }),
    route({
      method: 'GET',
      path: '/users/:id/keys',
      access: 'admin',
      summary: "List one user's API keys",
      query: keysQuery,
      answer: keyPage,
      errors: ['invalid_cursor'],
      async handle({ params, query }) {
        const user = requireFound(await admin.store.users.get(params.id), 'user')
        return listKeys(admin, query, user.id)
      },
    }),
    route({
      method: 'POST',
      path: '/users/:id/keys',
      access: 'admin',
      summary: 'Create an API key for a user',
      description:
        'The answer is the only one that ever holds the secret. A key made through another key never gets more than that key has.',
      body: keyCreation,
      answer: createdKey,
      status: 201,
      async handle({ params, caller, body }) {
        const user = requireFound(await admin.store.users.get(params.id), 'user')
        return createKey(admin, caller, { ...anyone, userId: user.id }, body)
      },
    }),
  ]
}

function recordRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const current = ({ params }: { readonly params: { readonly id: string } }) => getKey(admin, anyone, params.id)
  return [
    route({
      method: 'GET',
      path: '/keys/:id',
      access: 'admin',
      summary: 'One API key',
      answer: keyAnswer,
      handle: current,
    }),
    route({
      method: 'PATCH',
      path: '/keys/:id',
      access: 'admin',
      summary: 'Change an API key',
      body: keyChange,
      answer: keyAnswer,
      current,
      handle: ({ params, caller, body, unchanged }) =>
        changeKey(admin, caller, { ...anyone, id: params.id, unchanged }, body),
    }),
    route({
      method: 'POST',
      path: '/keys/:id/rotate',
      access: 'admin',
      summary: 'Give an API key another secret',
      description:
        'The answer is the only one that ever holds it. Name, scopes, limits, budgets and usage stay. The secret of now works on for `overlap_hours`, an older one ends at once. A key can only rotate one that may do no more than it.',
      body: keyRotation,
      answer: createdKey,
      errors: ['conflict'],
      current,
      handle: ({ params, caller, body, unchanged }) =>
        rotateKey(admin, caller, { ...anyone, id: params.id, unchanged }, body),
    }),
    route({
      method: 'DELETE',
      path: '/keys/:id',
      access: 'admin',
      summary: 'Delete an API key; the next request with it is refused',
      current,
      handle: ({ params, unchanged }) => deleteKey(admin, { ...anyone, id: params.id, unchanged }),
    }),
    route({
      method: 'POST',
      path: '/keys/delete',
      access: 'admin',
      summary: 'Delete several API keys at once',
      body: keyDeletion,
      answer: deletedKeys,
      handle: async ({ body }) => ({ deleted: await deleteKeys(admin, anyone, body.ids) }),
    }),
  ]
}
