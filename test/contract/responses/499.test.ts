/** 499 of POST /ai/v1/responses: the client has gone. */
import { responsesEndpoint, leavingClientContract } from '#test/support/contract/dialect-contract.ts'

leavingClientContract(responsesEndpoint)
