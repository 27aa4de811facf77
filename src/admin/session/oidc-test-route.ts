/** Tests an issuer of OpenID Connect, with values that are configured or only typed in. */
import { z } from '#lib/schema.ts'
import { formats } from '#config/settings/formats.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { Secret } from '#lib/secret.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { testIssuer } from '../oidc/test-issuer.ts'
import { publicCallback } from './oidc-routes.ts'

const issuerTest = z
  .strictObject({
    issuer: z.string().min(1).max(1000),
    client_id: z.string().min(1).max(1000),
    client_secret: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe('The configured one when left out, if issuer and client id are those that are configured'),
  })
  .meta({ id: 'IssuerTest' })

const issuerTestResult = z
  .strictObject({
    checks: z.array(
      z.strictObject({
        name: z.enum(['address', 'keys', 'client', 'methods', 'callback']),
        outcome: z.enum(['ok', 'warning', 'failed']).describe('A warning does not keep people from signing in'),
        message: z.string(),
      }),
    ),
  })
  .meta({ id: 'IssuerTestResult' })

export function oidcTestRoute(admin: Admin): Route<Caller> {
  return endpointsOf(
    admin,
    'Settings',
  )({
    method: 'POST',
    path: '/oidc/test',
    access: 'admin',
    operation: 'testIssuer',
    summary: 'Test an issuer of OpenID Connect; stores nothing',
    description: 'Reads its discovery document and keys, and asks whether it knows the client. Nobody signs in.',
    body: issuerTest,
    answer: issuerTestResult,
    async handle({ body, context }) {
      const issuer = formats.issuer.read(body.issuer)
      if (issuer === null)
        throw new ApiError('validation_failed', { param: 'issuer', message: `Expected ${formats.issuer.expected}.` })
      const known = admin.issuers.find(
        ({ settings }) => settings?.issuer === issuer && settings.clientId === body.client_id,
      )
      return {
        checks: [
          ...(await testIssuer({
            issuer,
            clientId: body.client_id,
            clientSecret:
              body.client_secret === undefined
                ? (known?.settings?.clientSecret ?? null)
                : new Secret(body.client_secret),
            callback: publicCallback(admin, known, context),
            scopes: known?.settings?.scopes ?? admin.settings.get('auth.oidc.scopes'),
            signal: context.signal,
          })),
        ],
      }
    },
  })
}
