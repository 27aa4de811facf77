/** 404 of POST /ai/v1/responses: no model has this name, or it cannot be asked. */
import { unknownModelContract, responsesEndpoint } from '#test/support/contract/dialect-contract.ts'

unknownModelContract(responsesEndpoint)
