/** The page of formats, its tables from the readers. */
import { formatRows, surroundingFormats, surroundings } from '#readers/formats.ts'

export function formatsMarkdown(): string {
  return [
    '# Formats',
    '',
    'A file’s content decides its type; the name is only a hint among kinds of text. Sluice refuses a file that no reader',
    'supports at the import, and says what to do instead.',
    '',
    '| format | read as | pages |',
    '|---|---|---|',
    ...formatRows.map(({ format, readAs, pages }) => `| ${format} | ${readAs} | ${pages} |`),
    '',
    'Tables become Markdown. When a table does not fit into one chunk, each piece gets its header.',
    '',
    '## What surrounds a text',
    '',
    'The same in all formats; *marked* text says what it is, *–*: the format has none. HTML and EPUB are read without comments;',
    'notes and alternative texts are kept where they are.',
    '',
    `| | ${surroundingFormats.map((format) => `.${format}`).join(' | ')} |`,
    `|---|${'---|'.repeat(surroundingFormats.length)}`,
    ...surroundings.map(
      ({ what, treatments }) => `| ${what} | ${surroundingFormats.map((format) => treatments[format]).join(' | ')} |`,
    ),
    '',
    ...surroundings.flatMap(({ what, mark }) => (mark === '' ? [] : [`- ${what}: ${mark}.`])),
    '',
    rest,
  ].join('\n')
}

const rest = `**Not read** without a [reader on another server](#readers-on-other-servers): RAR and other archives, 7z with a password or
with PPMd, BZip2 or filters for programs, AVI and FLV, programs, .xlsb. **Dropped**: pictures inside documents (counted in a
warning), link addresses, formulas of spreadsheets without a saved value. Readers fetch nothing from a network and run no
macro or script.

**Text recognition** reads pictures and the pages of a PDF that have no text layer, without a model and without a
network, where the packages \`tesseract.js-core\` and \`@tesseract.js-data/eng\` are installed: in every source checkout, and
in \`node_modules\` beside the one-file binary (\`npm install --prefix /usr/local/bin tesseract.js-core@7.0.0
@tesseract.js-data/eng@1.0.0\`, with the folder in which the binary is). Without them such pages are left out with a
warning, and pictures are refused. Other languages: \`documents.ocr.languages\`, with data from \`@tesseract.js-data/deu\`
and so on, or from \`documents.ocr.language_dir\`. Where a vision model is set, it reads pictures and files of scans, and
recognition only single scanned pages within a file. A dense page takes 6 s of CPU; \`documents.ocr.max_pages\` bounds a
file. [Why so](decisions/text-recognition.md).

**Limits** are settings: pages, characters, unpacked bytes, time and memory for each file. Time is CPU time: that of
\`documents.read_seconds\`, a second for each MiB, and on top 10 ms for each page of a PDF and 2 s for each million characters that
are cut. Zip bombs, loops and endless nesting fail with \`too_complex\`, cut-off files with \`damaged\`.

## Readers on other servers

Files of chosen types can be read by [docling-serve](https://github.com/docling-project/docling-serve) (version 1 or newer),
the server of [Apache Tika](https://tika.apache.org) (2 or 3) or
[Unstructured's API](https://docs.unstructured.io/api-reference/partition/overview), for layouts, handwriting or formats that
the built-in readers lack:

\`\`\`yaml
documents:
  readers:
    - name: layout
      kind: docling
      url: http://docling:5001
      types: [pdf, "image/*"]
      credential: the-key-of-docling-serve
    - name: office
      kind: tika
      url: http://tika:9998
      types: [doc, ppt]
      seconds: 60
    - name: elements
      kind: unstructured
      url: https://api.unstructuredapp.io
      credential: the-key
      fields: {strategy: hi_res}
\`\`\`

| field | meaning |
|---|---|
| \`name\` | shown in records and metrics; an import can name it: \`"reader": "elements"\` |
| \`kind\` | \`docling\`, \`tika\` or \`unstructured\` |
| \`url\` | without the path of the API; may be a private address. Redirects are not followed |
| \`types\` | what it reads when the reader is \`auto\`: names of built-in readers (\`pdf\`, \`docx\`, \`picture\`) or media types; the first reader that takes a type reads it. Empty: only what names it |
| \`credential\` | sent as \`x-api-key\` to docling-serve and as \`unstructured-api-key\` to Unstructured; for a server before Tika \`user:password\` or a token |
| \`seconds\` | longest time for one file, 300 when left out |
| \`fields\` | sent along: fields of the form, for Tika headers (\`X-Tika-OCRLanguage: deu\`) |

Pages are kept where the reader tells them: those of a DoclingDocument, Tika's pages, slides and sheets, Unstructured's
\`page_number\`. Headings, lists and tables keep their form; heads and feet of pages are left out. The server takes the answer
apart in a reading process, within the limits of all files; it has at most \`documents.max_unpacked_bytes\`.

A reader that refuses a file, finds no text in it, answers with something else or does not answer in time leaves it to the
built-in reader, and the record has a warning that says so. One that does not answer at all is left out for 30 seconds, so that
not every file waits for it. What only it could have read is tried again later (\`reader_unavailable\`). The setting is a secret
as a whole, because credentials are in it, and is read at start. Types that Sluice does not know, for example RAR, are taken
only where the import names the reader.

The answers were tried against Apache Tika 3.3.2, documents of \`docling-core\` 2.104 and elements of \`unstructured\` 0.27; the
servers of the latter two were not.

## Results on real files

These files gave other readers trouble. Sluice imported them with default settings on two cores:

| file | what it is | outcome | pages | chunks |
|---|---|---|---:|---:|
| email-no-utf8 | mail in windows-1255, Hebrew | completed | | 9 |
| email-with-image | mail with a picture | completed, the picture left out with a warning | 1 | 1 |
| tel_aviv_hebrew | 1.7 MB of Wikipedia HTML | completed | | 493 |
| utf16 | HTML in UTF-16 | completed | | 4 |
| list_complex | RTF lists | completed | | 1 |
| winter_sports | EPUB | completed | 10 | 340 |
| 2023-half-year | XLSX, five sheets | completed | 5 | 12 |
| formula | ODT with a formula | completed | | 1 |
| handbook-872p | DOCX of 872 pages | completed, two pictures left out | | 760 |
| powerpoint_sample | PPTX | completed | 3 | 2 |
| unit_test_lists | DOCX lists | completed | 2 | 1 |
| word_tables | DOCX, merged cells | completed | | 3 |
| embedded_images_tables | PDF, table with a joined header | completed; numbers at the axes of a chart are loose lines | 1 | 3 |
| google_doc_document | PDF with a six-column table | completed | 1 | 2 |
| korean-text-with-tables | PDF, two columns | completed | 1 | 6 |
| layout-parser-paper-fast | PDF paper | completed | 2 | 5 |
| multi-column | PDF paper of 13 pages | completed; formulas are flat, some result tables are lines | 13 | 60 |
| non_ascii_text | PDF, fonts without letter tables | completed, with a warning; a few letters in two fonts are wrong | 18 | 112 |
| right_to_left_01 | PDF in Arabic | completed, in logical order | 1 | 5 |
| sharable_web_guide | PDF of pictures | \`no_text\` | | |
| copy-protected | PDF | completed; its ffi ligatures have no letters in the file | 2 | 5 |
| fake-power-point-malformed | PPTX without a layout part | completed | 1 | 1 |
| pdf-bad-color-space | PDF | completed; the navigation at its side becomes headings | 1 | 3 |
| scanned | PDF scan with an old text layer | completed; a few false headings | 1 | 5 |
`
