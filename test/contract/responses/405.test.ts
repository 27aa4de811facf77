/** 405 of POST /ai/v1/responses: it takes POST only. */
import { responsesEndpoint, otherMethodContract } from '#test/support/contract/dialect-contract.ts'

otherMethodContract(responsesEndpoint)
