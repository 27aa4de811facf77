/** 504 of POST /ai/v1/messages: the provider is silent. */
import { messagesEndpoint, silenceContract } from '#test/support/contract/dialect-contract.ts'

silenceContract(messagesEndpoint)
