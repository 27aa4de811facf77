/** The cache of what was read. A session that has ended leads to the sign-in page, whichever request finds out. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { isSignedOut } from './client.ts'

/** @param onSignedOut called when a request was refused because nobody is signed in */
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
