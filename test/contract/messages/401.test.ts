/** 401 of POST /ai/v1/messages: the caller is not known. */
import { messagesEndpoint, unknownCallerContract } from '#test/support/contract/dialect-contract.ts'

unknownCallerContract(messagesEndpoint)
