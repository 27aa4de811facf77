/** What a test sign-in has shown: what the issuer sends about a person, and what a sign-in would do with it. */
import { useQuery } from '@tanstack/react-query'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { TestSignIn } from '../../api/schema.d.ts'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { signInErrorText } from '../sign-in-errors.ts'

export interface TestSignInResultProps {
  readonly sealed: string
  readonly onClose: () => void
}

export function TestSignInResult({ sealed, onClose }: TestSignInResultProps) {
  const { data, error } = useQuery({
    queryKey: [...resource.settings, 'test-sign-in', sealed],
    queryFn: ({ signal }) => api('POST /admin/api/v1/oidc/test-sign-in', { body: { sealed }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return (
    <Dialog open onClose={onClose} title="Test sign-in" description="Nobody was signed in, and nothing was changed.">
      {error !== null && <ErrorNotice error={asApiError(error)} />}
      {data === undefined && error === null && <Skeleton lines={4} label="Reading the result" />}
      {data !== undefined && <Outcome result={data} />}
    </Dialog>
  )
}

function Outcome({ result }: { readonly result: TestSignIn }) {
  const { refusal, account, email, groups, is_admin: isAdmin } = result
  return (
    <>
      <Notice tone={refusal === null ? 'success' : 'danger'}>
        {refusal === null
          ? `The person would sign in${account === 'new' ? ' to a new account' : ''}${isAdmin ? ', as an administrator' : ''}.`
          : `The person would be refused. They would read: “${signInErrorText(refusal)}”`}
      </Notice>
      <Facts>
        <Fact name="Issuer">{result.issuer}</Fact>
        <Fact name="E-mail address">
          {email === null ? 'not sent' : `${email}${result.email_verified ? '' : ', not verified'}`}
        </Fact>
        <Fact name="Name">{result.name || 'not sent'}</Fact>
        <Fact name="Groups that it sent">{result.sent_groups.join(', ') || 'none'}</Fact>
        <Fact name="Groups here">{groups.join(', ') || 'none'}</Fact>
        <Fact name="Subject">{result.subject ?? 'not sent'}</Fact>
      </Facts>
    </>
  )
}
