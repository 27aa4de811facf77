/** Files for the browser to keep. */

/** Gives the browser a CSV file. */
export function downloadCsv(name: string, text: string): void {
  downloadText(name, text, 'text/csv;charset=utf-8')
}

/** Gives the browser a file of a text. */
export function downloadText(name: string, text: string, type: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
