/** 403 of POST /ai/v1/messages: the model is for others. */
import { deniedModelContract, messagesEndpoint } from '#test/support/contract/dialect-contract.ts'

deniedModelContract(messagesEndpoint)
