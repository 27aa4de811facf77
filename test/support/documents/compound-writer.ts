/** Compound files for tests, and the smallest documents of Word, Excel and PowerPoint 97 in them. (MS-CFB, MS-DOC, MS-XLS, MS-PPT.) */

type Streams = Readonly<Record<string, Uint8Array>>

const [sectorBytes, miniBytes, cutoff] = [512, 64, 4_096]
const [endOfChain, free, fatSector] = [0xfffffffe, 0xffffffff, 0xfffffffd]

interface Node {
  readonly name: string
  readonly kind: number
  readonly children: Node[]
  readonly bytes: Uint8Array
}

/** Streams by their paths, storages divided by `/`. Small streams go where small streams go. */
export function writeCompound(streams: Streams): Buffer {
  const top: Node = { name: 'Root Entry', kind: 5, children: [], bytes: new Uint8Array() }
  for (const [path, bytes] of Object.entries(streams)) place(top, path.split('/'), bytes)
  const nodes: Node[] = []
  const number = (node: Node): void => {
    nodes.push(node)
    node.children.forEach(number)
  }
  number(top)
  const sectors: Buffer[] = []
  const fat: number[] = []
  const add = (bytes: Uint8Array): number => {
    if (bytes.length === 0) return endOfChain
    const first = sectors.length
    for (let at = 0; at < bytes.length; at += sectorBytes) {
      const sector = Buffer.alloc(sectorBytes)
      sector.set(bytes.subarray(at, at + sectorBytes))
      sectors.push(sector)
      fat.push(at + sectorBytes < bytes.length ? sectors.length : endOfChain)
    }
    return first
  }
  const mini: Buffer[] = []
  const miniFat: number[] = []
  const starts = new Map<Node, number>()
  for (const node of nodes) {
    if (node.kind !== 2) continue
    if (node.bytes.length >= cutoff) starts.set(node, add(node.bytes))
    else {
      starts.set(node, node.bytes.length === 0 ? endOfChain : mini.length)
      for (let at = 0; at < node.bytes.length; at += miniBytes) {
        const piece = Buffer.alloc(miniBytes)
        piece.set(node.bytes.subarray(at, at + miniBytes))
        mini.push(piece)
        miniFat.push(at + miniBytes < node.bytes.length ? mini.length : endOfChain)
      }
    }
  }
  const miniStream = Buffer.concat(mini)
  const miniStart = add(miniStream)
  const miniFatStart = add(u32(miniFat))
  const directory = nodes.map((node) => {
    const isTop = node === top
    return entry(node, {
      nodes,
      start: isTop ? miniStart : (starts.get(node) ?? 0),
      size: isTop ? miniStream.length : node.bytes.length,
    })
  })
  const directoryStart = add(Buffer.concat(directory))
  const fatCount = Math.ceil((fat.length + 2) / 127)
  const fatStart = sectors.length
  for (let at = 0; at < fatCount; at += 1) fat.push(fatSector)
  const table = Buffer.alloc(fatCount * sectorBytes, 0xff)
  table.set(u32(fat))
  const head = Buffer.alloc(sectorBytes, 0xff)
  head.fill(0, 0, 76)
  head.write('d0cf11e0a1b11ae1', 'hex')
  head.writeUInt16LE(0x3e, 24)
  head.writeUInt16LE(3, 26)
  head.writeUInt16LE(0xfffe, 28)
  head.writeUInt16LE(9, 30)
  head.writeUInt16LE(6, 32)
  head.writeUInt32LE(fatCount, 44)
  head.writeUInt32LE(directoryStart, 48)
  head.writeUInt32LE(cutoff, 56)
  head.writeUInt32LE(miniFatStart, 60)
  head.writeUInt32LE(endOfChain, 68)
  for (let at = 0; at < fatCount; at += 1) head.writeUInt32LE(fatStart + at, 76 + 4 * at)
  return Buffer.concat([head, ...sectors, table])
}

function place(parent: Node, [name = '', ...rest]: readonly string[], bytes: Uint8Array): void {
  if (rest.length === 0) return void parent.children.push({ name, kind: 2, children: [], bytes })
  let storage = parent.children.find((child) => child.name === name)
  if (storage === undefined) parent.children.push((storage = { name, kind: 1, children: [], bytes: new Uint8Array() }))
  place(storage, rest, bytes)
}

/** Each storage's entries hang to the right of each other, which the format allows readers to accept. */
function entry(
  node: Node,
  { nodes, start, size }: { readonly nodes: readonly Node[]; readonly start: number; readonly size: number },
): Buffer {
  const parent = nodes.find(({ children }) => children.includes(node))
  const next = parent?.children[parent.children.indexOf(node) + 1]
  const bytes = Buffer.alloc(128)
  bytes.write(node.name, 0, 62, 'utf16le')
  bytes.writeUInt16LE(2 * node.name.length + 2, 64)
  bytes.writeUInt8(node.kind, 66)
  const numberOf = (other: Node | undefined): number => (other === undefined ? free : nodes.indexOf(other))
  bytes.writeUInt32LE(free, 68)
  bytes.writeUInt32LE(numberOf(next), 72)
  bytes.writeUInt32LE(numberOf(node.children[0]), 76)
  bytes.writeUInt32LE(start, 116)
  bytes.writeUInt32LE(size, 120)
  return bytes
}

function u32(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) bytes.writeUInt32LE(value, 4 * at)
  return bytes
}

/** A paragraph with its final sign: \r, or \x07 of a cell. */
export interface DocParagraph {
  readonly text: string
  readonly style?: number
  readonly inTable?: boolean
  readonly endsRow?: boolean
}

/** A document of Word 97. `wide` paragraphs are in UTF-16 in a piece of their own; `rest` are notes and further parts. */
export function writeDoc(
  paragraphs: readonly DocParagraph[],
  { heads = '', comments = '', boxes = '', encrypted = false } = {},
): Buffer {
  const textAt = 1_024
  const stream: Buffer[] = [Buffer.alloc(textAt)]
  let offset = textAt
  let characters = 0
  const pieces: { start: number; place: number }[] = []
  const runs: { start: number; end: number; look: Buffer }[] = []
  const addText = (text: string, look: Buffer): void => {
    const isWide = /[^\0-\xff]/.test(text)
    if (isWide && offset % 2 === 1) {
      stream.push(Buffer.alloc(1))
      offset += 1
    }
    const bytes = Buffer.from(text, isWide ? 'utf16le' : 'latin1')
    pieces.push({ start: characters, place: isWide ? offset : (2 * offset) | 0x40000000 })
    runs.push({ start: offset, end: offset + bytes.length, look })
    stream.push(bytes)
    offset += bytes.length
    characters += text.length
  }
  for (const paragraph of paragraphs) addText(paragraph.text, lookOf(paragraph))
  const body = characters
  const plain = Buffer.alloc(2)
  if (heads !== '') addText(heads, plain)
  if (comments !== '') addText(comments, plain)
  if (boxes !== '') addText(boxes, plain)
  const pageAt = Math.ceil(offset / 512) * 512
  stream.push(Buffer.alloc(pageAt - offset), looksPage(runs))
  const bins = Buffer.concat([u32([textAt, offset]), u32([pageAt / 512])])
  const pieceTable = Buffer.concat([
    u32([...pieces.map(({ start }) => start), characters]),
    ...pieces.map(({ place: at }) => Buffer.concat([Buffer.alloc(2), u32([at]), Buffer.alloc(2)])),
  ])
  const clx = Buffer.concat([Buffer.from([2]), u32([pieceTable.length]), pieceTable])
  const document = Buffer.concat(stream)
  document.writeUInt16LE(0xa5ec, 0)
  document.writeUInt16LE(0xc1, 2)
  document.writeUInt16LE(encrypted ? 0x0300 : 0x0200, 0x0a)
  for (const [at, length] of [body, 0, heads.length, 0, comments.length, 0, boxes.length].entries())
    document.writeUInt32LE(length, 0x4c + 4 * at)
  document.writeUInt32LE(0, 0x102)
  document.writeUInt32LE(bins.length, 0x106)
  document.writeUInt32LE(bins.length, 0x1a2)
  document.writeUInt32LE(clx.length, 0x1a6)
  return writeCompound({ WordDocument: document, '1Table': Buffer.concat([bins, clx]) })
}

function lookOf({ style = 0, inTable = false, endsRow = false }: DocParagraph): Buffer {
  const look = Buffer.alloc(2)
  look.writeUInt16LE(style)
  const properties = [inTable || endsRow ? '162401' : '', endsRow ? '172401' : '']
  return Buffer.concat([look, Buffer.from(properties.join(''), 'hex')])
}

function looksPage(runs: readonly { readonly start: number; readonly end: number; readonly look: Buffer }[]): Buffer {
  const page = Buffer.alloc(512)
  for (const [at, run] of runs.entries()) page.writeUInt32LE(run.start, 4 * at)
  page.writeUInt32LE(runs.at(-1)?.end ?? 0, 4 * runs.length)
  let free_ = 510
  for (const [at, { look }] of runs.entries()) {
    const padded =
      look.length % 2 === 0
        ? Buffer.concat([Buffer.from([0, look.length / 2]), look])
        : Buffer.concat([Buffer.from([(look.length + 1) / 2]), look])
    free_ -= padded.length + (padded.length % 2)
    page.set(padded, free_)
    page.writeUInt8(free_ / 2, 4 * (runs.length + 1) + 13 * at)
  }
  page.writeUInt8(runs.length, 511)
  return page
}

/** One record of a workbook. */
export function biff(type: number, data: Uint8Array): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16LE(type, 0)
  head.writeUInt16LE(data.length, 2)
  return Buffer.concat([head, data])
}

/** A workbook of Excel 97: records of the whole, and those of each sheet by its name. */
export function writeXls(
  globals: readonly Uint8Array[],
  sheets: Readonly<Record<string, readonly Uint8Array[]>>,
): Buffer {
  const begin = biff(0x809, Buffer.from('0006050000000000', 'hex'))
  const end = biff(0x0a, new Uint8Array())
  const bodies = Object.values(sheets).map((records) => Buffer.concat([begin, ...records, end]))
  const named = Object.keys(sheets).map((name) =>
    Buffer.concat([Buffer.from([name.length, 0]), Buffer.from(name, 'latin1')]),
  )
  const headBytes =
    begin.length + end.length + Buffer.concat(globals).length + named.reduce((sum, name) => sum + 10 + name.length, 0)
  let offset = headBytes
  const list = named.map((name, at) => {
    const record = biff(0x85, Buffer.concat([u32([offset]), Buffer.from([at === 0 ? 0 : 1, 0]), name]))
    offset += bodies[at]?.length ?? 0
    return record
  })
  return writeCompound({ Workbook: Buffer.concat([begin, ...globals, ...list, end, ...bodies]) })
}

/** One record of a presentation; `instance` is in its head. */
export function pptRecord(type: number, data: Uint8Array, { container = false, instance = 0 } = {}): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt16LE((instance << 4) | (container ? 15 : 0), 0)
  head.writeUInt16LE(type, 2)
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data])
}

/** A presentation of PowerPoint 97 whose slides have texts in the outline, texts of their own, and notes. */
export function writePpt(
  slides: readonly { readonly title: string; readonly body: string; readonly own?: string; readonly notes?: string }[],
): Buffer {
  const kindAndText = (kind: number, text: string): Buffer => {
    const isWide = /[^\0-\xff]/.test(text)
    return Buffer.concat([
      pptRecord(0x0f9f, u32([kind])),
      pptRecord(isWide ? 0x0fa0 : 0x0fa8, Buffer.from(text, isWide ? 'utf16le' : 'latin1')),
    ])
  }
  const outline = slides.map(({ title, body }, at) =>
    Buffer.concat([pptRecord(0x03f3, u32([at + 1, 0, 0, 256 + at, 0])), kindAndText(0, title), kindAndText(1, body)]),
  )
  const document = pptRecord(0x03e8, pptRecord(0x0ff0, Buffer.concat(outline), { container: true }), {
    container: true,
  })
  const parts: Buffer[] = [document]
  const offsets: number[] = []
  const notesOffsets: number[] = []
  const lengthSoFar = (): number => parts.reduce((sum, part) => sum + part.length, 0)
  for (const [at, { own = '', notes = '' }] of slides.entries()) {
    offsets.push(lengthSoFar())
    const drawing = own === '' ? new Uint8Array() : pptRecord(0xf00d, kindAndText(4, own), { container: true })
    parts.push(pptRecord(0x03ee, drawing, { container: true }))
    notesOffsets.push(lengthSoFar())
    const about = pptRecord(0x03f1, u32([256 + at, 0]))
    parts.push(pptRecord(0x03f0, Buffer.concat([about, kindAndText(2, notes)]), { container: true }))
  }
  const all = [...offsets, ...notesOffsets]
  parts.push(pptRecord(0x1772, u32([(all.length << 20) | 1, ...all])))
  return writeCompound({ 'PowerPoint Document': Buffer.concat(parts) })
}

/** A mail of Outlook with properties by their ids and kinds, such as `0037001F`. */
export function writeMsg(properties: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const streams: Record<string, Uint8Array> = { '__properties_version1.0': Buffer.alloc(32) }
  for (const [path, value] of Object.entries(properties)) {
    const [, storage = '', id = ''] = /^(.*\/)?([^/]*)$/.exec(path) ?? []
    const bytes = typeof value === 'string' ? Buffer.from(value, id.endsWith('1F') ? 'utf16le' : 'latin1') : value
    streams[`${storage}__substg1.0_${id}`] = bytes
  }
  return writeCompound(streams)
}
