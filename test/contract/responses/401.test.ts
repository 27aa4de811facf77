/** 401 of POST /ai/v1/responses: the caller is not known. */
import { responsesEndpoint, unknownCallerContract } from '#test/support/dialect-contract.ts'

unknownCallerContract(responsesEndpoint)
