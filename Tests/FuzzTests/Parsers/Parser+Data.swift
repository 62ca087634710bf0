import HearthMigration
import HearthTree

extension Parser {
  /// Parsers of JSON and of its values.
  static let dataParsers = [
    Parser(name: "json") { bytes in
      let isValue = read(bytes) { reader throws(JSONError) in try reader.value() } != nil
      let isJSON = read(bytes) { reader throws(JSONError) in try reader.skipValue() } != nil
      try require(isJSON == isValue, "a text is JSON for one reader and not for another")
      _ = read(bytes) { reader throws(JSONError) in try reader.merge() }
      guard let write = read(bytes, { reader throws(JSONError) in try reader.writeValue() }) else { return }
      let node = write.resolved(existing: .empty, nowMilliseconds: 1)
      for isPretty in [false, true] {
        let again = read(node.json(.export, pretty: isPretty)) { reader throws(JSONError) in try reader.writeValue() }
        try require(again?.node == node, "what is written is read as something else")
      }
    },
    Parser(name: "json-stream") { bytes in
      var cutter = JSONDataSplitter(partBytesMax: 16)
      var check = ExportCheck(file: "export.json")
      do throws(JSONError) {
        for piece in pieces(of: bytes) {
          cutter.append(piece)
          while try cutter.next() != nil {}
        }
        cutter.finish()
        while try cutter.next() != nil {}
      } catch {
        _ = cutter.place(of: error)
      }
      do throws(JSONError) {
        for piece in pieces(of: bytes) { try check.append(piece) }
        try check.finish()
      } catch {
        _ = check.place(of: error)
      }
    },
  ]

  /// Parses a whole text; returns nil when it is refused.
  private static func read<Value>(
    _ bytes: [UInt8], _ body: (inout JSONReader) throws(JSONError) -> Value
  ) -> Value? {
    bytes.withUnsafeBytes { raw -> Value? in
      var reader = JSONReader(raw)
      do throws(JSONError) {
        let value = try body(&reader)
        try reader.end()
        return value
      } catch {
        return nil
      }
    }
  }
}
