import HearthTree

/// Writes an object whose members come one by one, in the two forms of answers.
struct RESTObjectWriter {
  private var writer: JSONWriter
  private var isEmpty = true

  init(pretty: Bool) {
    writer = JSONWriter(layout: pretty ? .service : .compact)
    writer.openObject()
  }

  mutating func member(_ name: String, _ write: (inout JSONWriter) -> Void) {
    var name = name
    name.withUTF8 { member(UnsafeRawBufferPointer($0), write) }
  }

  mutating func member(_ name: UnsafeRawBufferPointer, _ write: (inout JSONWriter) -> Void) {
    writer.separateMember(isFirst: isEmpty)
    isEmpty = false
    writer.write(utf8: name)
    writer.colon()
    write(&writer)
  }

  /// The whole object; the writer is of no use then.
  mutating func finish() -> [UInt8] {
    writer.closeObject(isEmpty: isEmpty)
    return writer.bytes
  }
}
