/** 429 of POST /ai/v1/responses: too much at once. */
import { responsesEndpoint, limitContract } from '#test/support/dialect-contract.ts'

limitContract(responsesEndpoint)
