/** 502 of POST /ai/v1/messages: the provider failed. */
import { messagesEndpoint, upstreamFailureContract } from '#test/support/contract/dialect-contract.ts'

upstreamFailureContract(messagesEndpoint)
