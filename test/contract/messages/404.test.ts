/** 404 of POST /ai/v1/messages: no model has this name, or it cannot be asked. */
import { unknownModelContract, messagesEndpoint } from '#test/support/contract/dialect-contract.ts'

unknownModelContract(messagesEndpoint)
