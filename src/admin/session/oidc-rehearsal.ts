/**
 * Test sign-ins: a person goes through the whole flow at the issuer, and in place of a session an administrator gets what
 * the issuer said and what a sign-in would have done. The browser carries that back sealed, so that a stranger who
 * begins one learns nothing.
 */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { SealError } from '#lib/seal.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { personOf, type Claims } from '../oidc/claims.ts'
import type { IssuerSettings } from '../oidc/issuer-settings.ts'
import { OidcRefusal } from '../oidc/refusal.ts'
import { foreseenAccount } from './oidc-account.ts'

/** The page that shows it; what is behind `#` is in no log. */
const resultPage = '/settings?tab=start#test-sign-in='
const purpose = 'OpenID Connect test sign-in'
const lastsMs = 10 * 60_000
/** An issuer may send hundreds of groups, and browsers and proxies take addresses of some kilobytes. */
const groupsMax = 50
const textMax = 200

const result = z
  .strictObject({
    refusal: z.string().nullable().describe('The code with which a sign-in would have been refused; null for none'),
    issuer: z.string(),
    subject: z.string().nullable(),
    email: z.string().nullable().describe('As the issuer sent it; null when it sent none'),
    email_verified: z.boolean(),
    name: z.string(),
    sent_groups: z.array(z.string()).describe(`Values of the groups claim, at most ${groupsMax}`),
    account: z.enum(['existing', 'new']).nullable().describe('Which account the person would sign in to'),
    groups: z.array(z.string()).describe('Groups of this server that the person would be in'),
    is_admin: z.boolean().describe('Whether `admin_groups` makes the person an administrator'),
  })
  .meta({ id: 'TestSignIn' })

type Result = z.output<typeof result>

const sealedResult = z.strictObject({ expiresAt: z.number(), result })

/** Where the browser goes with the result of a test. @param claims rejects as a sign-in would */
export async function rehearsed(admin: Admin, issuer: IssuerSettings, claims: Promise<Claims>): Promise<string> {
  const value = { expiresAt: admin.clock.now() + lastsMs, result: await rehearse(admin, issuer, claims) }
  return resultPage + encodeURIComponent(admin.sealer.seal(JSON.stringify(value), purpose))
}

async function rehearse(admin: Admin, issuer: IssuerSettings, claims: Promise<Claims>): Promise<Result> {
  const nothing: Result = {
    refusal: null,
    issuer: issuer.label,
    subject: null,
    email: null,
    email_verified: false,
    name: '',
    sent_groups: [],
    account: null,
    groups: [],
    is_admin: false,
  }
  let known = nothing
  try {
    const person = personOf(await claims, issuer.groupsClaim)
    if (person === null) throw new OidcRefusal('oidc_failed')
    known = {
      ...nothing,
      subject: person.subject,
      email: person.email,
      email_verified: person.emailVerified,
      name: person.name,
      sent_groups: person.groups.slice(0, groupsMax).map((group) => group.slice(0, textMax)),
    }
    const { user, groups, isAdmin } = await foreseenAccount(admin, issuer, person)
    return {
      ...known,
      account: user === null ? 'new' : 'existing',
      groups: groups.slice(0, groupsMax),
      is_admin: isAdmin,
    }
  } catch (thrown) {
    return { ...known, refusal: thrown instanceof OidcRefusal ? thrown.code : 'oidc_failed' }
  }
}

/** The route that opens a result. */
export function rehearsalRoute(admin: Admin): Route<Caller> {
  return endpointsOf(
    admin,
    'Settings',
  )({
    method: 'POST',
    path: '/oidc/test-sign-in',
    access: 'admin',
    operation: 'readTestSignIn',
    summary: 'What a test sign-in at an issuer of OpenID Connect has shown',
    description:
      'A browser begins one at `/session/oidc?test=true` and comes back to the page of settings with this text. Nobody is signed in, and no account is made or changed.',
    asks: true,
    body: z.strictObject({ sealed: z.string().max(50_000) }),
    answer: result,
    handle({ body }) {
      const expired = new ApiError('validation_failed', {
        param: 'sealed',
        message: 'This result is not one of this server, or too old. Begin another test.',
      })
      try {
        const value = sealedResult.parse(JSON.parse(admin.sealer.open(body.sealed, purpose)))
        if (value.expiresAt > admin.clock.now()) return value.result
      } catch (thrown) {
        if (!(thrown instanceof SealError)) throw thrown
      }
      throw expired
    },
  })
}
