/**
 * The routes of the console. Each page is a chunk that loads when it is first shown. Routes below
 * `shell` need a session; pages for administrators have `requireAdmin`. The server checks both again.
 */
import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { isSignedOut } from './api/client.ts'
import { sessionQuery } from './api/queries.ts'
import { lazyPart } from './components/lazy-part.tsx'
import { NotFound, NotFoundAlone } from './routes/not-found.tsx'
import { PageError } from './routes/page-error.tsx'
import { PagePending } from './routes/page-pending.tsx'
import {
  readAuditSearch,
  readBatchesSearch,
  readDocumentSearch,
  readDocumentsSearch,
  readGroupSearch,
  readKeysSearch,
  readModelSearch,
  readModelsSearch,
  readNewModelSearch,
  readOverviewSearch,
  readPlaygroundSearch,
  readProvidersSearch,
  readRequestSearch,
  readRequestsSearch,
  readSettingsSearch,
  readSignInSearch,
  readUsageSearch,
  readUserSearch,
  readUsersSearch,
  readVectorStoreSearch,
  signInSearch,
} from './routes/search.ts'

interface Context {
  readonly queryClient: QueryClient
}

const rootRoute = createRootRouteWithContext<Context>()({ component: Outlet, notFoundComponent: NotFoundAlone })

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: readSignInSearch,
  component: lazyPart(() => import('./routes/sign-in.tsx'), 'SignInPage'),
})

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyPart(() => import('./routes/invitation.tsx'), 'InvitationPage'),
})

const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  // The first load shows nothing that would move when the frame comes.
  pendingMs: Number.POSITIVE_INFINITY,
  async beforeLoad({ context, location }) {
    try {
      await context.queryClient.ensureQueryData(sessionQuery)
    } catch (thrown) {
      if (!isSignedOut(thrown)) throw thrown
      // TanStack Router redirects by throwing.
      // oxlint-disable-next-line typescript/only-throw-error
      throw redirect({ to: '/sign-in', search: signInSearch(location) })
    }
  },
  component: lazyPart(() => import('./shell/app-shell.tsx'), 'AppShell'),
})

/** Guards pages for administrators; other users see "not found". */
async function requireAdmin({ context }: { readonly context: Context }): Promise<void> {
  const { user } = await context.queryClient.ensureQueryData(sessionQuery)
  // oxlint-disable-next-line typescript/only-throw-error
  if (user.role !== 'admin') throw notFound()
}

const overviewRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  validateSearch: readOverviewSearch,
  component: lazyPart(() => import('./routes/overview/overview-page.tsx'), 'OverviewPage'),
})

const modelsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/models',
  validateSearch: readModelsSearch,
  component: lazyPart(() => import('./routes/models/models-page.tsx'), 'ModelsPage'),
})

const newModelRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/models/new',
  validateSearch: readNewModelSearch,
  beforeLoad: requireAdmin,
  component: lazyPart(() => import('./routes/model/model-page.tsx'), 'NewModelPage'),
})

const modelAboutRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/models/about/$name',
  component: lazyPart(() => import('./routes/model-about/model-about-page.tsx'), 'ModelAboutPage'),
})

const modelRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/models/$id',
  validateSearch: readModelSearch,
  beforeLoad: requireAdmin,
  component: lazyPart(() => import('./routes/model/model-page.tsx'), 'ModelPage'),
})

const usageRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/usage',
  validateSearch: readUsageSearch,
  component: lazyPart(() => import('./routes/usage/usage-page.tsx'), 'UsagePage'),
})

const costRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/cost',
  validateSearch: readUsageSearch,
  component: lazyPart(() => import('./routes/cost/cost-page.tsx'), 'CostPage'),
})

const requestsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/requests',
  validateSearch: readRequestsSearch,
  component: lazyPart(() => import('./routes/requests/requests-page.tsx'), 'RequestsPage'),
})

const requestRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/requests/$id',
  validateSearch: readRequestSearch,
  component: lazyPart(() => import('./routes/requests/request-page.tsx'), 'RequestPage'),
})

const keysRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/keys',
  validateSearch: readKeysSearch,
  component: lazyPart(() => import('./routes/keys/keys-page.tsx'), 'KeysPage'),
})

const welcomeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/welcome',
  component: lazyPart(() => import('./routes/welcome/welcome-page.tsx'), 'WelcomePage'),
})

const playgroundRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/playground',
  validateSearch: readPlaygroundSearch,
  component: lazyPart(() => import('./routes/playground/playground-page.tsx'), 'PlaygroundPage'),
})

const documentsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/documents',
  validateSearch: readDocumentsSearch,
  component: lazyPart(() => import('./routes/documents/documents-page.tsx'), 'DocumentsPage'),
})

const documentRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/documents/$id',
  validateSearch: readDocumentSearch,
  component: lazyPart(() => import('./routes/document/document-page.tsx'), 'DocumentPage'),
})

const vectorStoresRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/vector-stores',
  component: lazyPart(() => import('./routes/vector-stores/vector-stores-page.tsx'), 'VectorStoresPage'),
})

const vectorStoreRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/vector-stores/$id',
  validateSearch: readVectorStoreSearch,
  component: lazyPart(() => import('./routes/vector-stores/vector-store-page.tsx'), 'VectorStorePage'),
})

const batchesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/batches',
  validateSearch: readBatchesSearch,
  component: lazyPart(() => import('./routes/batches/batches-page.tsx'), 'BatchesPage'),
})

const usersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/users',
  beforeLoad: requireAdmin,
  validateSearch: readUsersSearch,
  component: lazyPart(() => import('./routes/users/users-page.tsx'), 'UsersPage'),
})

const userRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/users/$id',
  beforeLoad: requireAdmin,
  validateSearch: readUserSearch,
  component: lazyPart(() => import('./routes/user/user-page.tsx'), 'UserPage'),
})

const groupsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/groups',
  beforeLoad: requireAdmin,
  component: lazyPart(() => import('./routes/groups/groups-page.tsx'), 'GroupsPage'),
})

const groupRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/groups/$id',
  beforeLoad: requireAdmin,
  validateSearch: readGroupSearch,
  component: lazyPart(() => import('./routes/group/group-page.tsx'), 'GroupPage'),
})

const providersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/providers',
  beforeLoad: requireAdmin,
  validateSearch: readProvidersSearch,
  component: lazyPart(() => import('./routes/providers/providers-page.tsx'), 'ProvidersPage'),
})

const sourcesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/sources',
  beforeLoad: requireAdmin,
  component: lazyPart(() => import('./routes/sources/sources-page.tsx'), 'SourcesPage'),
})

const webhooksRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks',
  beforeLoad: requireAdmin,
  component: lazyPart(() => import('./routes/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
})

const auditRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/audit',
  beforeLoad: requireAdmin,
  validateSearch: readAuditSearch,
  component: lazyPart(() => import('./routes/audit/audit-page.tsx'), 'AuditPage'),
})

const exportsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/exports',
  beforeLoad: requireAdmin,
  component: lazyPart(() => import('./routes/exports/exports-page.tsx'), 'ExportsPage'),
})

const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  beforeLoad: requireAdmin,
  validateSearch: readSettingsSearch,
  component: lazyPart(() => import('./routes/settings/settings-page.tsx'), 'SettingsPage'),
})

const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account',
  component: lazyPart(() => import('./routes/account/account-page.tsx'), 'AccountPage'),
})

/** An unknown address, within the frame of the pages. */
const unknownRoute = createRoute({ getParentRoute: () => shellRoute, path: '$', component: NotFound })

const routeTree = rootRoute.addChildren([
  signInRoute,
  invitationRoute,
  shellRoute.addChildren([
    overviewRoute,
    modelsRoute,
    newModelRoute,
    modelAboutRoute,
    modelRoute,
    usageRoute,
    costRoute,
    requestsRoute,
    requestRoute,
    keysRoute,
    welcomeRoute,
    playgroundRoute,
    documentsRoute,
    documentRoute,
    vectorStoresRoute,
    vectorStoreRoute,
    batchesRoute,
    usersRoute,
    userRoute,
    groupsRoute,
    groupRoute,
    providersRoute,
    sourcesRoute,
    webhooksRoute,
    auditRoute,
    exportsRoute,
    settingsRoute,
    accountRoute,
    unknownRoute,
  ]),
])

/** Below what people notice as a wait. */
const pendingMs = 50

/** The router of one page load. */
export function createConsoleRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: 'intent',
    // A page that is not there at once shows that it comes: what was left would look as if nothing had been pressed.
    defaultPendingMs: pendingMs,
    defaultPendingMinMs: 0,
    defaultPendingComponent: PagePending,
    defaultNotFoundComponent: NotFound,
    defaultErrorComponent: PageError,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
