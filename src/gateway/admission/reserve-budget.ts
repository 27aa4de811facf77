/** Reserves what a request can cost from every hard budget that it counts in, or refuses it. */
import {
  counterOf,
  scopeKey,
  type BudgetIndex,
  type BudgetRecord,
  type BudgetScope,
  type BudgetWindow,
} from '#budgets/budget.ts'
import type { Admission, BudgetLedger, Charge } from '#budgets/budget-ledger.ts'
import { windowAt } from '#budgets/window.ts'
import type { Catalog, Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import type { Clock } from '#lib/clock.ts'
import type { Metrics } from '#observe/metrics.ts'
import { costBound } from '#pricing/cost.ts'
import { formatMoney, nanoMax } from '#pricing/nano.ts'
import { priceAt } from '#pricing/price.ts'
import type { AppliedLimit } from '#store/usage/usage-record.ts'
import { mostTokens, type RequestSize } from '../request/request-size.ts'
import { RequestBudget, type UpstreamCharge } from '../usage/request-budget.ts'
import type { RequestRecord, UsageRecorder } from '../usage/usage-recorder.ts'

/** What budgets need of the gateway. */
export interface BudgetDeps {
  readonly catalog: () => Catalog
  readonly budgets: BudgetLedger
  readonly recorder: UsageRecorder
  readonly settings: LiveSettings
  readonly metrics: Metrics
  readonly clock: Clock
}

export interface BudgetedRequest {
  readonly caller: Caller
  readonly model: Model
  readonly size: RequestSize
  readonly record: RequestRecord
}

/** A budget in its window of now. */
interface Counted {
  readonly budget: BudgetRecord
  readonly window: BudgetWindow
  readonly counter: string
}

/** An upstream with the budgets that only it counts in, and the most that the request can cost there. */
interface Candidate {
  readonly upstream: Upstream
  readonly counted: readonly Counted[]
  readonly bound: number
}

/**
 * The model with those of its upstreams that the budgets allow; the record settles the reservation when the request
 * ends. Without budgets nothing is done. Answers 400, 402 or 503.
 */
export function reserveBudget(deps: BudgetDeps, request: BudgetedRequest): Model | Promise<Model> {
  const index = deps.catalog().budgets
  return index.size === 0 ? request.model : reserveOf(index, deps, request)
}

/** Apart, so that a request without budgets makes no closure. */
function reserveOf(index: BudgetIndex, deps: BudgetDeps, request: BudgetedRequest): Model | Promise<Model> {
  const { model, caller, record } = request
  const at = record.at
  const common = countedBy(index, commonScopes(caller, model), at)
  const ownOf = (upstream: Upstream): readonly Counted[] => countedBy(index, ownScopes(model, upstream), at)
  const owns = new Map(model.upstreams.map((upstream) => [upstream, ownOf(upstream)] as const))
  const all = [...common, ...[...owns.values()].flat()]
  if (all.length === 0) return model
  const isHard = all.some(({ budget }) => budget.hard)
  const candidates = model.upstreams.map((upstream) => ({ upstream, counted: owns.get(upstream) ?? [] }))
  if (!isHard) return counting(deps, request, { common, candidates: candidates.map((each) => ({ ...each, bound: 0 })) })
  return reserving(deps, request, { common, candidates: bounded(deps, request, { common, candidates }) })
}

/** Whether there is any budget: all that a request looks at where there is none. */
export function haveBudgets({ catalog }: Pick<BudgetDeps, 'catalog'>): boolean {
  return catalog().budgets.size > 0
}

/** Whether a hard budget counts requests of this caller to this plain model. */
export function hasHardBudget(
  { budgets }: Pick<Catalog, 'budgets'>,
  { caller, model }: Pick<BudgetedRequest, 'caller' | 'model'>,
): boolean {
  if (budgets.size === 0) return false
  const scopes = [...commonScopes(caller, model), ...model.upstreams.flatMap((upstream) => ownScopes(model, upstream))]
  return scopes.some(([scope, id]) => budgets.get(scopeKey(scope, id))?.some(({ hard }) => hard))
}

type Scope = readonly [scope: BudgetScope, id: string]

function commonScopes({ account, key }: Caller, { record }: Model): readonly Scope[] {
  return [
    ...(key === null ? [] : [['key', key.id] as const]),
    ['user', account.user.id],
    ...[...account.groupIds].map((id) => ['group', id] as const),
    ['model', record.id],
  ]
}

function ownScopes({ record }: Model, { model, provider }: Upstream): readonly Scope[] {
  return [['provider', provider.id], ...(model.id === record.id ? [] : [['model', model.id] as const])]
}

function countedBy(index: BudgetIndex, scopes: readonly Scope[], at: number): readonly Counted[] {
  return scopes
    .flatMap(([scope, id]) => index.get(scopeKey(scope, id)) ?? [])
    .map((budget) => {
      const window = windowAt(budget.period, budget.timeZone, at)
      return { budget, window, counter: counterOf(budget, window) }
    })
}

interface Budgeted {
  readonly common: readonly Counted[]
  readonly candidates: readonly Candidate[]
}

/** Those upstreams whose costs have a bound, or where no hard budget counts. */
function bounded(
  { settings }: BudgetDeps,
  { model, size, record }: BudgetedRequest,
  {
    common,
    candidates,
  }: { readonly common: readonly Counted[]; readonly candidates: readonly Omit<Candidate, 'bound'>[] },
): readonly Candidate[] {
  const isCommonHard = common.some(({ budget }) => budget.hard)
  const refusals: ApiError[] = []
  const kept = candidates.flatMap((candidate) => {
    if (!isCommonHard && !candidate.counted.some(({ budget }) => budget.hard)) return [{ ...candidate, bound: 0 }]
    const price = priceAt(candidate.upstream.prices, record.at)
    if (price === null) {
      refusals.unshift(priceUnknown(model))
      return []
    }
    const once = costBound(price, mostOf(size, candidate.upstream, settings))
    const bound = once === null ? null : boundOf(once, size.calls)
    if (bound === null) {
      refusals.push(new ApiError('cost_unbounded'))
      return []
    }
    return [{ ...candidate, bound }]
  })
  const [refusal] = refusals
  if (kept.length === 0 && refusal !== undefined) throw refusal
  return kept
}

/** Null where there is none: a session may make any number of calls. What costs nothing never costs more. */
function boundOf(once: number, calls: number): number | null {
  if (once === 0) return 0
  return calls === Infinity ? null : Math.min(nanoMax, once * calls)
}

function priceUnknown({ record }: Model): ApiError {
  return new ApiError('price_unknown', {
    message: `A budget limits what you may spend, and nobody knows what ${record.name} costs. Ask an administrator to set its price.`,
  })
}

function mostOf(size: RequestSize, { model, provider }: Upstream, settings: LiveSettings) {
  const totalSeconds =
    model.timeouts.totalSeconds ?? provider.timeouts.totalSeconds ?? settings.get('gateway.total_seconds')
  return {
    ...mostTokens(size, model.contextLength),
    images: size.images,
    audioMs: null,
    // A request waits and fails over before the call that serves it.
    durationMs: 2 * 1000 * (totalSeconds + settings.get('failover.budget_seconds')),
  }
}

/** Without a hard budget nothing is reserved. */
async function counting(
  { recorder }: BudgetDeps,
  { model, record }: BudgetedRequest,
  budgeted: Budgeted,
): Promise<Model> {
  const counted = { ...chargesOf(budgeted), reservation: null, onOverrun: () => undefined }
  await recorder.charge(record, new RequestBudget(counted))
  for (const each of allOf(budgeted)) record.limited(appliedBudget(each, { left: null, refused: false }))
  return model
}

function chargesOf({ common, candidates }: Budgeted) {
  const perUpstream = candidates.map(({ upstream, counted, bound }): [Upstream, UpstreamCharge] => [
    upstream,
    { counters: counted.map(({ counter }) => counter), bound },
  ])
  return { counters: common.map(({ counter }) => counter), perUpstream: new Map(perUpstream) }
}

/** Leaves out upstreams whose own budgets are used up, until the rest can be reserved. */
async function reserving(deps: BudgetDeps, request: BudgetedRequest, budgeted: Budgeted): Promise<Model> {
  const { model, record } = request
  let { candidates } = budgeted
  for (;;) {
    const rest = { common: budgeted.common, candidates }
    const charges = hardCharges(rest)
    const admission: Admission = await deps.budgets.admit(charges)
    if (admission.kind === 'unavailable') throw new ApiError('store_unavailable', { cause: admission.failure })
    if (admission.kind === 'reserved') {
      const onOverrun = (): void => deps.metrics.budgetOverrun(model.record.name)
      const { reservation } = admission
      await deps.recorder.charge(record, new RequestBudget({ ...chargesOf(rest), reservation, onOverrun }))
      for (const each of allOf(rest)) {
        const left = each.budget.hard ? deps.budgets.leftOf(each.counter) : null
        record.limited(appliedBudget(each, { left, refused: false }))
      }
      return candidates.length === model.upstreams.length
        ? model
        : { ...model, upstreams: candidates.map(({ upstream }) => upstream) }
    }
    const { charge, left } = admission
    const others = candidates.filter(({ counted }) => counted.every(({ counter }) => counter !== charge.counter))
    const isCommon = budgeted.common.some(({ counter }) => counter === charge.counter)
    if (isCommon || others.length === 0) throw exceeded(deps, record, rest, { charge, left })
    candidates = others
  }
}

/** What is reserved of each hard counter: the most that any upstream that counts in it can cost. */
function hardCharges({ common, candidates }: Budgeted): readonly Charge[] {
  const amounts = new Map<string, number>()
  for (const { counted, bound } of candidates) {
    for (const { budget, counter } of [...common, ...counted]) {
      if (budget.hard) amounts.set(counter, Math.max(amounts.get(counter) ?? 0, bound))
    }
  }
  return [...amounts].map(([counter, amount]) => ({ counter, amount }))
}

/** Each budget once, although several upstreams may count in it. */
function allOf({ common, candidates }: Budgeted): readonly Counted[] {
  const all = [...common, ...candidates.flatMap(({ counted }) => counted)]
  return [...new Map(all.map((each) => [each.counter, each])).values()]
}

function appliedBudget(
  { budget: { period, scope, amount } }: Counted,
  { left, refused }: Pick<AppliedLimit, 'left' | 'refused'>,
): AppliedLimit {
  return {
    kind: 'budget',
    name: `${periodNames[period]} budget of the ${scope}`,
    unit: 'money',
    limit: amount,
    left,
    refused,
  }
}

const periodNames = { day: 'daily', week: 'weekly', month: 'monthly', total: 'total' } as const

function exceeded(
  { metrics, settings }: BudgetDeps,
  record: RequestRecord,
  budgeted: Budgeted,
  { charge, left }: { readonly charge: Charge; readonly left: number },
): ApiError {
  const found = allOf(budgeted).find(({ counter }) => counter === charge.counter)
  if (found === undefined) throw new Error('a budget that is exceeded does not count this request')
  const { budget, window } = found
  metrics.budgetRefused(budget.scope)
  record.limited(appliedBudget(found, { left, refused: true }))
  const currency = settings.get('prices.currency')
  const renews =
    window.endsAt === null ? 'It does not renew.' : `It renews at ${new Date(window.endsAt).toISOString()}.`
  return new ApiError('budget_exceeded', {
    message:
      `The ${periodNames[budget.period]} budget of the ${budget.scope} has ${formatMoney(left)} ${currency} of ` +
      `${formatMoney(budget.amount)} left, and this request can cost ${formatMoney(charge.amount)}. ${renews}`,
    headers: {
      'x-sluice-budget-left': String(left),
      ...(window.endsAt !== null && { 'x-sluice-budget-renews': new Date(window.endsAt).toISOString() }),
    },
  })
}
