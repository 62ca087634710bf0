import HearthTree

/// A writer of an object whose members come one by one, in the two layouts of responses.
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

  /// Returns the whole object; the writer must not be used afterwards.
  mutating func finish() -> [UInt8] {
    writer.closeObject(isEmpty: isEmpty)
    return writer.bytes
  }
}
