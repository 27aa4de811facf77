/** 405 of POST /ai/v1/responses: it takes POST only. */
import { responsesEndpoint, otherMethodContract } from '#test/support/dialect-contract.ts'

otherMethodContract(responsesEndpoint)
