import HearthTree

/// Short ways from text to values, for tests.
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

  /// The error of reading `text` as data, nil when it is read.
  static func error(_ text: String) -> JSONError? { error(Array(text.utf8)) { _ = try $0.writeValue() } }

  static func error(
    _ bytes: [UInt8], limits: JSONLimits = .standard, _ body: (inout JSONReader) throws -> Void
  ) -> JSONError? {
    do {
      try read(bytes, limits: limits, body)
      return nil
    } catch { return error as? JSONError }
  }

  /// A small generator with a seed (SplitMix64), so that a failing run can be repeated.
  struct Generator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
      return z ^ z >> 31
    }
  }
}
