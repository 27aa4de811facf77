/** 400 of POST /ai/v1/moderations. */
import { badJsonContract } from '#test/support/contract/endpoint-contract.ts'

badJsonContract('moderations', [
  {
    what: 'that names no model where there is none of the usual name',
    fields: { model: undefined },
    code: 'missing_model',
    param: 'model',
  },
  { what: 'without an input', fields: { input: undefined }, param: 'input' },
  { what: 'whose model is a number', fields: { model: 7 }, param: 'model' },
])
