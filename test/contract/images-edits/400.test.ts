/** 400 of POST /ai/v1/images/edits. */
import { badFormContract } from '#test/support/contract/bad-forms.ts'

badFormContract('images/edits')
