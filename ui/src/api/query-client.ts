/** The query cache. When a request finds that the session has ended, the console shows the sign-in page. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { isSignedOut } from './client.ts'

/** @param onSignedOut called when a request fails because the session has ended */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: Error): void => {
    if (isSignedOut(error)) onSignedOut()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: { queries: { retry: isWorthAnotherTry, staleTime: 5000, refetchOnWindowFocus: true } },
  })
}

function isWorthAnotherTry(failures: number, error: Error): boolean {
  const status = error instanceof ApiError ? error.status : 0
  return failures < 2 && (status === 0 || status >= 500)
}
