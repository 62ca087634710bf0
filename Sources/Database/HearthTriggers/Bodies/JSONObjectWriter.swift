import HearthTree

/// A writer of a JSON object, member by member. Values may be encoded JSON already.
struct JSONObjectWriter {
  private var writer = JSONWriter()
  private var isFirst = true

  mutating func add(_ name: String, _ value: String) {
    begin(name)
    writer.write(value)
  }

  mutating func add(_ name: String, raw value: [UInt8]) {
    begin(name)
    writer.bytes.append(contentsOf: value)
  }

  private mutating func begin(_ name: String) {
    writer.write(raw: isFirst ? "{" : ",")
    isFirst = false
    writer.write(name)
    writer.write(raw: ":")
  }

  consuming func closed() -> [UInt8] {
    var writer = writer
    writer.write(raw: isFirst ? "{}" : "}")
    return writer.bytes
  }
}
