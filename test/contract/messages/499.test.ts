/** 499 of POST /ai/v1/messages: the client has gone. */
import { messagesEndpoint, leavingClientContract } from '#test/support/contract/dialect-contract.ts'

leavingClientContract(messagesEndpoint)
