/** 429 of POST /ai/v1/messages: too much at once. */
import { messagesEndpoint, limitContract } from '#test/support/contract/dialect-contract.ts'

limitContract(messagesEndpoint)
