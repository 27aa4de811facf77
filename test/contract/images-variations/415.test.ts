/** 415 of POST /ai/v1/images/variations. */
import { formTypeContract } from '#test/support/contract/bad-forms.ts'

formTypeContract('images/variations')
