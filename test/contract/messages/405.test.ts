/** 405 of POST /ai/v1/messages: it takes POST only. */
import { messagesEndpoint, otherMethodContract } from '#test/support/contract/dialect-contract.ts'

otherMethodContract(messagesEndpoint)
