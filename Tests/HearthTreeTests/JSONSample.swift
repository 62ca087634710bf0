import HearthTree

/// Conversions from text to values for tests.
enum JSONSample {
  static func read<Value>(
    _ text: String, limits: JSONLimits = .standard, _ body: (inout JSONReader) throws -> Value
  ) throws -> Value {
    try read(Array(text.utf8), limits: limits, body)
  }

  static func read<Value>(
    _ bytes: [UInt8], limits: JSONLimits = .standard, _ body: (inout JSONReader) throws -> Value
  ) throws -> Value {
    try bytes.withUnsafeBytes {
      var reader = JSONReader($0, limits: limits)
      let value = try body(&reader)
      try reader.end()
      return value
    }
  }

  static func write(_ text: String) throws -> WriteValue { try read(text) { try $0.writeValue() } }

  static func node(_ text: String) throws -> Node { try write(text).node }

  static func merge(_ text: String) throws -> [Write] { try read(text) { try $0.merge() } }

  static func export(_ node: Node) -> String { String(decoding: node.json(.export), as: UTF8.self) }

  static func plain(_ node: Node) -> String { String(decoding: node.json(.plain), as: UTF8.self) }

  /// Returns the error of reading `text` as data, or nil when there is none.
  static func error(_ text: String) -> JSONError? { error(Array(text.utf8)) { _ = try $0.writeValue() } }

  static func error(
    _ bytes: [UInt8], limits: JSONLimits = .standard, _ body: (inout JSONReader) throws -> Void
  ) -> JSONError? {
    do {
      try read(bytes, limits: limits, body)
      return nil
    } catch { return error as? JSONError }
  }
}
