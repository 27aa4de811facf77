/** Starts the console: theme, query cache, router. */
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from './api/query-client.ts'
import { Toasts } from './components/toast.tsx'
import { createConsoleRouter } from './router.tsx'
import { signInSearch } from './routes/search.ts'
import { applyTheme } from './shell/theme.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/font.css'
import './styles/print.css'

applyTheme()

const queryClient = createQueryClient(() => {
  const { location } = router.state
  if (location.pathname !== '/sign-in') void router.navigate({ to: '/sign-in', search: signInSearch(location) })
})
const router = createConsoleRouter(queryClient)

const root = document.querySelector('#root')
if (root === null) throw new Error('The page has no #root.')
createRoot(root).render(
  <StrictMode>
    {/* The Content-Security-Policy forbids style elements. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
