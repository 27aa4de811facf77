/**
 * Documents for programs that speak the Model Context Protocol: `POST /mcp`, streamable HTTP without sessions, so that any
 * process answers any request. Protocol: https://modelcontextprotocol.io/specification
 */
import type { AuthInfo, McpHttpHandler } from '@modelcontextprotocol/server'
import { z } from '#lib/schema.ts'
import type { ApiError } from '#errors/api-error.ts'
import { errorResponse as plainErrorResponse } from '#errors/render.ts'
import { readJson } from '#http/body.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import type { Documents } from '../documents.ts'
import { documentTools, type ToolContext } from './tools.ts'

const bodyBytesMax = 256 * 1024
const instructions =
  'Documents of this organisation, as far as you may see them. Search first; read on where a passage is not enough; cite the name and the page.'

const message = z.looseObject({ jsonrpc: z.literal('2.0') }).describe('A message of JSON-RPC 2.0')
const failure = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.null().or(z.string()).or(z.number()),
  error: z.looseObject({ code: z.int(), message: z.string() }),
})

/** The row of the route table. */
export function mcpRoute(documents: Documents, version: string): Route<Caller> {
  // The protocol's library is read when it is first asked for: most servers never are.
  let opened: Promise<McpHttpHandler> | undefined
  return {
    method: 'POST',
    path: '/mcp',
    access: 'documents',
    errorResponse,
    docs: {
      tag: 'Documents',
      operation: 'mcp',
      summary: 'Search, list and read documents by the Model Context Protocol (streamable HTTP)',
      body: message.or(z.array(message)),
      answer: message.or(z.array(message)),
      media: ['text/event-stream'],
      moreStatuses: [202],
      errorAnswer: failure,
      errors: ['invalid_json', 'body_timeout', 'request_too_large', 'unsupported_media_type'],
    },
    async handle(context, caller) {
      const readSeconds = documents.settings.get('server.body_read_seconds')
      const { value } = await readJson(context, { bytesMax: bodyBytesMax, readSeconds })
      const handler = await (opened ??= openHandler(documents, version))
      const given: ToolContext = { documents, caller, signal: context.signal }
      return handler.fetch(context.request, { parsedBody: value, authInfo: authInfoOf(given) })
    },
  }
}

async function openHandler({ logger }: Documents, version: string): Promise<McpHttpHandler> {
  const { createMcpHandler, McpServer } = await import('@modelcontextprotocol/server')
  return createMcpHandler(
    ({ authInfo }) => {
      const context = contextOf(authInfo)
      const server = new McpServer({ name: 'sluice', title: 'Sluice', version }, { instructions })
      for (const { name, run, ...about } of documentTools)
        server.registerTool(name, { ...about, annotations: { readOnlyHint: true } }, (input: unknown) =>
          run(context, input),
        )
      return server
    },
    // The tools never change, so there is nothing to listen for.
    {
      maxSubscriptions: 1,
      keepAliveMs: 0,
      onerror: (error) => logger.debug('a message to /mcp was refused', { error }),
    },
  )
}

const contextName = 'sluice'

/** What the tools need, on the way through the library. */
function authInfoOf(context: ToolContext): AuthInfo {
  return { token: '', clientId: context.caller.account.user.id, scopes: [], extra: { [contextName]: context } }
}

function contextOf(authInfo: AuthInfo | undefined): ToolContext {
  return authInfo?.extra?.[contextName] as ToolContext
}

/** An error of Sluice as one of JSON-RPC, under its HTTP status. */
function errorResponse(error: ApiError, requestId: string): Response {
  const { status, code, message: text } = error
  const { headers } = plainErrorResponse(error)
  const number = code === 'invalid_json' ? -32_700 : status >= 500 ? -32_603 : -32_600
  const body = {
    jsonrpc: '2.0',
    id: null,
    error: { code: number, message: text, data: { code, request_id: requestId } },
  }
  return new Response(JSON.stringify(body), { status, headers })
}
