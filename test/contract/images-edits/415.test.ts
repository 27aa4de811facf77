/** 415 of POST /ai/v1/images/edits. */
import { formTypeContract } from '#test/support/contract/bad-forms.ts'

formTypeContract('images/edits')
