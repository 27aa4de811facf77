/** Whether and how the text of pictures is recognised on this server. */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { hasTesseract, type OcrOptions } from '#readers/ocr/tesseract.ts'

/** The options of text recognition; null where it is off or its package is not installed. */
export function ocrOptions(settings: Pick<LiveSettings, 'get'>, besideTextOnly = false): OcrOptions | null {
  if (!settings.get('documents.ocr.enabled') || !hasTesseract()) return null
  return {
    languages: settings.get('documents.ocr.languages'),
    directory: settings.get('documents.ocr.language_dir'),
    pagesMax: settings.get('documents.ocr.max_pages'),
    besideTextOnly,
  }
}
