/** 429 of POST /ai/v1/responses: too much at once. */
import { responsesEndpoint, limitContract } from '#test/support/contract/dialect-contract.ts'

limitContract(responsesEndpoint)
