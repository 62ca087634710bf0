import HearthTree

/// Writes an object whose members come one by one, in the two forms of answers.
struct RESTObjectWriter {
  private var writer = JSONWriter()
  private let isPretty: Bool
  private var isEmpty = true

  init(pretty: Bool) {
    isPretty = pretty
    writer.write(raw: "{")
  }

  mutating func member(_ name: String, _ write: (inout JSONWriter) -> Void) {
    var name = name
    name.withUTF8 { member(UnsafeRawBufferPointer($0), write) }
  }

  mutating func member(_ name: UnsafeRawBufferPointer, _ write: (inout JSONWriter) -> Void) {
    if !isEmpty { writer.write(raw: ",") }
    isEmpty = false
    if isPretty { writer.write(raw: "\n  ") }
    writer.write(utf8: name)
    writer.write(raw: ":")
    guard isPretty else { return write(&writer) }
    writer.write(raw: " ")
    var value = JSONWriter(pretty: true)
    write(&value)
    // Line breaks in strings are escaped, so each of these is one of the form.
    for byte in value.bytes {
      writer.bytes.append(byte)
      if byte == UInt8(ascii: "\n") { writer.write(raw: "  ") }
    }
  }

  /// The whole object; the writer is of no use then.
  mutating func finish() -> [UInt8] {
    if isPretty, !isEmpty { writer.write(raw: "\n") }
    writer.write(raw: "}")
    return writer.bytes
  }
}
