/** 415 of POST /ai/v1/audio/translations. */
import { formTypeContract } from '#test/support/contract/bad-forms.ts'

formTypeContract('audio/translations')
