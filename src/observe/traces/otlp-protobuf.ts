/**
 * Spans in the binary form of OTLP: the messages of
 * https://github.com/open-telemetry/opentelemetry-proto (trace.proto, common.proto, resource.proto), whose field numbers are
 * here, in the encoding of https://protobuf.dev/programming-guides/encoding/. Fields with their default value are left out.
 */
import { microseconds, scopeName, spanKinds, statusError, type Attributes, type Span } from './span.ts'

/** The body of one export. */
export function protobufTraces(spans: readonly Span[], resource: Attributes): Uint8Array<ArrayBuffer> {
  const writer = new ProtobufWriter()
  const resourceSpans = 1
  writer.message(resourceSpans, () => {
    writer.message(1, () => writeAttributes(writer, 1, resource))
    writer.message(2, () => {
      writer.message(1, () => writer.text(1, scopeName))
      for (const span of spans) writer.message(2, () => writeSpan(writer, span))
    })
  })
  return writer.take()
}

/** The fields of `Span`, by their numbers. */
function writeSpan(writer: ProtobufWriter, span: Span): void {
  const { traceId, spanId, parentId, name, kind, startedAt, endedAt, attributes, events, error } = span
  writer.hex(1, traceId)
  writer.hex(2, spanId)
  if (parentId !== null) writer.hex(4, parentId)
  writer.text(5, name)
  writer.number(6, spanKinds[kind])
  writer.time(7, startedAt)
  writer.time(8, endedAt)
  writeAttributes(writer, 9, attributes)
  for (const event of events)
    writer.message(11, () => {
      writer.time(1, event.at)
      writer.text(2, event.name)
    })
  if (error !== null)
    writer.message(15, () => {
      writer.text(2, error)
      writer.number(3, statusError)
    })
}

/** A `KeyValue` for each. */
function writeAttributes(writer: ProtobufWriter, field: number, attributes: Attributes): void {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null) continue
    writer.message(field, () => {
      writer.text(1, key)
      writer.message(2, () => writeAnyValue(writer, value))
    })
  }
}

/** One of `AnyValue`: its member is sent even when it has the default value. */
function writeAnyValue(writer: ProtobufWriter, value: string | number | boolean): void {
  if (typeof value === 'string') writer.text(1, value)
  else if (typeof value === 'boolean') writer.number(2, value ? 1 : 0)
  else if (Number.isSafeInteger(value)) writer.number(3, value)
  else writer.double(4, value)
}

const wireVarint = 0
const wireFixed64 = 1
const wireBytes = 2
const bytesAtFirst = 16_384
/** More than a key, a number and a length take together. */
const headRoom = 32

/** Appends fields to one growing buffer. */
class ProtobufWriter {
  #bytes = Buffer.allocUnsafe(bytesAtFirst)
  #length = 0

  /** All that was written; the writer is not used afterwards. */
  take(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length)
  }

  text(field: number, text: string): void {
    this.#nested(field, () => {
      this.#reserve(text.length * 3)
      this.#length += this.#bytes.write(text, this.#length)
    })
  }

  hex(field: number, digits: string): void {
    this.#nested(field, () => {
      this.#length += this.#bytes.write(digits, this.#length, 'hex')
    })
  }

  /** A whole number; a negative one as 64 bits in two's complement. */
  number(field: number, value: number): void {
    this.#reserve(headRoom)
    this.#varint(field * 8 + wireVarint)
    if (value >= 0) this.#varint(value)
    else this.#bigVarint(BigInt.asUintN(64, BigInt(value)))
  }

  double(field: number, value: number): void {
    this.#reserve(headRoom)
    this.#varint(field * 8 + wireFixed64)
    this.#length = this.#bytes.writeDoubleLE(value, this.#length)
  }

  /** Epoch milliseconds as nanoseconds in 64 bits. */
  time(field: number, ms: number): void {
    this.#reserve(headRoom)
    this.#varint(field * 8 + wireFixed64)
    this.#length = this.#bytes.writeBigUInt64LE(BigInt(microseconds(ms)) * 1000n, this.#length)
  }

  message(field: number, write: () => void): void {
    this.#nested(field, write)
  }

  /** What is written is put behind its length, which is known only then. */
  #nested(field: number, write: () => void): void {
    this.#reserve(headRoom)
    this.#varint(field * 8 + wireBytes)
    const start = this.#length
    // Most lengths need one byte; for a longer one the content moves.
    this.#length += 1
    write()
    const length = this.#length - start - 1
    const lengthBytes = varintBytes(length)
    if (lengthBytes > 1) {
      this.#reserve(headRoom)
      this.#bytes.copyWithin(start + lengthBytes, start + 1, this.#length)
    }
    this.#length = start
    this.#varint(length)
    this.#length += length
  }

  /** For numbers up to 2^53; shifts work on 32 bits alone. */
  #varint(value: number): void {
    let rest = value
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) + 128
      rest = Math.floor(rest / 128)
    }
    this.#bytes[this.#length++] = rest
  }

  #bigVarint(value: bigint): void {
    let rest = value
    while (rest >= 128n) {
      this.#bytes[this.#length++] = Number(rest % 128n) + 128
      rest /= 128n
    }
    this.#bytes[this.#length++] = Number(rest)
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + bytes))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

function varintBytes(value: number): number {
  let [bytes, rest] = [1, value]
  while (rest >= 128) {
    bytes += 1
    rest = Math.floor(rest / 128)
  }
  return bytes
}
