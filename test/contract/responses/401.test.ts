/** 401 of POST /ai/v1/responses: the caller is not known. */
import { responsesEndpoint, unknownCallerContract } from '#test/support/contract/dialect-contract.ts'

unknownCallerContract(responsesEndpoint)
