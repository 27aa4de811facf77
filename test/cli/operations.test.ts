/** What the admin API can do, the command line can do: each operation has commands here, or the reason why it has none. */
import { describe, expect, test } from 'bun:test'
import { commands } from '#src/cli/commands.ts'
import type { OpenApiDocument } from '#http/openapi.ts'
import { startAdminApp } from '#test/support/app/admin-app.ts'

/** The commands that do what the operation does, or why `sluice api` is enough. */
type Scripted = readonly string[] | string

const browser = 'It signs a browser in or out; the command line has a key or the control socket in its place.'
const own = 'It is the part of one account; a command acts as the administrator and has the operation on all accounts.'
const report = 'It is a report for reading: sluice api prints the JSON that the console draws.'
const single = 'Its record is in the answer of the command that lists them, with --json.'
const rare = 'The console does not use it: sluice api is enough.'
const form = 'It fills a form of the console; the command takes the same words as flags.'

const operations: Readonly<Record<string, Scripted>> = {
  createSession: browser,
  getSession: browser,
  deleteSession: browser,
  getSignInOptions: browser,
  signInByOidc: browser,
  finishSignInByOidc: browser,
  getMe: own,
  listMeModels: own,
  changeMyPassword: own,
  deleteMeSessions: own,
  listMeKeys: own,
  createMeKey: own,
  getMeKey: own,
  updateMeKey: own,
  deleteMeKey: own,
  deleteMeKeys: own,
  getMeUsage: own,
  listMeUsageSeries: own,
  listMeRequests: own,
  getMeRequest: own,
  listUsers: ['users list'],
  createUser: ['users add'],
  getUser: single,
  updateUser: ['users set', 'users disable', 'users enable'],
  deleteUser: ['users remove'],
  createUserPassword: ['users reset-password'],
  setUserGroup: ['groups add-members', 'users add'],
  deleteUserGroup: ['groups remove-members'],
  listGroups: ['groups list'],
  createGroup: ['groups add'],
  listGroupMembers: ['groups members'],
  getGroup: single,
  updateGroup: ['groups set'],
  deleteGroup: ['groups remove'],
  listKeys: ['keys list'],
  listUserKeys: ['keys list'],
  createUserKey: ['keys create'],
  getKey: single,
  updateKey: rare,
  deleteKey: 'The command deletes one key or many by deleteKeys.',
  deleteKeys: ['keys delete'],
  listProviderKinds: form,
  listProviderPresets: form,
  listProviders: ['providers list'],
  createProvider: ['providers add'],
  getProvider: single,
  updateProvider: ['providers set'],
  deleteProvider: ['providers remove'],
  testNewProvider: ['providers add'],
  testProvider: ['providers test'],
  importModels: ['providers add'],
  getProviderHealth: report,
  listAllModels: ['models list'],
  createModel: ['models add'],
  getModel: single,
  updateModel: ['models set', 'models enable', 'models disable'],
  deleteModel: ['models remove'],
  getModelHealth: report,
  listInflightLimits: ['limits in-flight'],
  listModelInflightLimits: 'The command limits in-flight lists those of all models by listInflightLimits.',
  setModelInflightLimit: ['limits set-in-flight'],
  deleteModelInflightLimit: ['limits set-in-flight'],
  getInflight: report,
  listPrices: ['prices list'],
  importPrices: ['prices import'],
  createPriceRecompute: ['prices recompute'],
  listModelPrices: ['prices history'],
  createModelPrice: ['prices set'],
  deleteModelPrice: ['prices remove'],
  listBudgets: ['budgets list'],
  createBudget: ['budgets add'],
  getBudget: single,
  updateBudget: ['budgets set'],
  deleteBudget: ['budgets remove'],
  reconcileBudget: ['budgets reconcile'],
  getBudgetsProof: ['budgets verify'],
  getUsage: report,
  listUsageSeries: report,
  listRequests: report,
  getRequest: report,
  listWebhooks: ['webhooks list'],
  createWebhook: ['webhooks add'],
  getWebhook: single,
  updateWebhook: rare,
  deleteWebhook: ['webhooks remove'],
  createWebhookRotate: ['webhooks rotate'],
  testWebhook: ['webhooks test'],
  listWebhookDeliveries: ['webhooks deliveries'],
  createWebhookDeliveryReplay: ['webhooks replay'],
  createWebhookReplay: ['webhooks replay'],
  listSettings: ['settings list', 'limits list'],
  setSetting: ['settings set', 'limits add', 'limits remove'],
  deleteSetting: ['settings reset'],
  getAbout: report,
}

async function documentedIds(): Promise<readonly string[]> {
  await using app = await startAdminApp()
  const { body } = await app.call<OpenApiDocument>('GET', '//openapi.json', { key: null })
  return Object.entries(body.paths)
    .filter(([path]) => path.startsWith('/admin/api/v1/'))
    .flatMap(([, methods]) => Object.values(methods).map(({ operationId }) => operationId))
}

describe('the command line', () => {
  test('has a command for every operation of the admin API, or a reason why it has none', async () => {
    expect(Object.keys(operations).toSorted()).toEqual((await documentedIds()).toSorted())
  })

  test('has the commands that are named for the operations', () => {
    const names = new Set(commands.map(({ name }) => name))
    const missing = Object.values(operations).flatMap((entry) => (typeof entry === 'string' ? [] : entry))
    expect(missing.filter((name) => !names.has(name))).toEqual([])
  })
})
