/** 499 of POST /ai/v1/responses: the client has gone. */
import { responsesEndpoint, leavingClientContract } from '#test/support/dialect-contract.ts'

leavingClientContract(responsesEndpoint)
