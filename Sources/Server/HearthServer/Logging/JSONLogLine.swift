import HearthSystem
import HearthTree
import Logging

/// A line of the log as a JSON object: `time` (RFC 3339, UTC, with milliseconds), `level`, `message`, `logger`, then
/// the metadata.
///
/// It is always a single line that a terminal shows as it is: control characters, and others that are not shown, are
/// escaped.
struct JSONLogLine {
  /// The maximum size of a text, in bytes; longer ones are cut. No line of the server's own has one.
  static let textBytesMax = 16 << 10
  /// The reserved members: a metadata value of such a name gets an underscore before it.
  private static let reserved: Set = ["time", "level", "message", "logger"]

  private(set) var bytes: [UInt8] = []

  init(
    milliseconds: Int64, level: Logger.Level, message: String, logger: String, metadata: Logger.Metadata
  ) {
    write("{")
    member("time", Timestamp.text(milliseconds: milliseconds))
    member("level", level.rawValue)
    member("message", message)
    member("logger", logger)
    for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
      separate()
      write(string: Self.reserved.contains(name) ? "_" + name : name)
      write(":")
      write(value, depth: 0)
    }
    write("}\n")
  }

  private mutating func member(_ name: String, _ value: String) {
    separate()
    write(string: name)
    write(":")
    write(string: value)
  }

  private mutating func separate() { if bytes.last != UInt8(ascii: "{") { write(",") } }

  private mutating func write(_ value: Logger.MetadataValue, depth: Int) {
    switch value {
    case .string(let text): write(string: text)
    case .stringConvertible(let value): write(string: value.description)
    case .array(let values) where depth < 8:
      write("[")
      for (index, value) in values.enumerated() {
        if index > 0 { write(",") }
        write(value, depth: depth + 1)
      }
      write("]")
    case .dictionary(let members) where depth < 8:
      write("{")
      for (name, value) in members.sorted(by: { $0.key < $1.key }) {
        separate()
        write(string: name)
        write(":")
        write(value, depth: depth + 1)
      }
      write("}")
    case .array, .dictionary: write(string: "…")
    }
  }

  private mutating func write(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }

  private mutating func write(string text: String) {
    write("\"")
    var left = Self.textBytesMax
    for scalar in text.unicodeScalars {
      left -= UTF8.width(scalar)
      guard left >= 0 else { break }
      switch scalar {
      case "\"": write("\\\"")
      case "\\": write("\\\\")
      case "\n": write("\\n")
      case "\t": write("\\t")
      default:
        if Self.isShown(scalar) { bytes.append(contentsOf: String(scalar).utf8) } else { escape(scalar) }
      }
    }
    write("\"")
  }

  private mutating func escape(_ scalar: Unicode.Scalar) {
    for unit in String(scalar).utf16 {
      let digits = String(unit, radix: 16)
      bytes.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8)
    }
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return (0x20..<0x7F).contains(scalar.value) }
    return switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}

extension JSONLogLine {
  /// Creates the line of a current event, with all metadata of its handler.
  init(_ event: LogEvent, of handler: some LogHandler, logger: String) {
    var all = handler.metadata.merging(handler.metadataProvider?.get() ?? [:]) { $1 }
    if let error = event.error { all["error"] = "\(error)" }
    if let own = event.metadata { all.merge(own) { $1 } }
    self.init(
      milliseconds: Clock.wallMilliseconds, level: event.level, message: "\(event.message)", logger: logger,
      metadata: all)
  }
}
