import HearthPlugin
import HearthTree

/// The text of an operator's file: JSON, in which `// …` and `/* … */` are comments.
package enum ConfigurationText {
  /// The largest configuration file.
  static let sizeBytesMax = 1 << 20

  /// The value in a file's text.
  ///
  /// - Throws: with the line and column of the syntax error.
  package static func parse(_ text: [UInt8]) throws(SettingsError) -> JSON {
    guard text.count <= sizeBytesMax else {
      throw SettingsError("", "the file is larger than \(sizeBytesMax) bytes, the limit for a configuration")
    }
    let bytes = withoutComments(text)
    let result = bytes.withUnsafeBytes { bytes -> Result<JSON, JSONError> in
      var reader = JSONReader(bytes)
      do throws(JSONError) {
        let value = try reader.value()
        try reader.end()
        return .success(value)
      } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let value): return value
    case .failure(let error): throw SettingsError(position(of: error.offset, in: bytes), error.message)
    }
  }

  /// Returns the text with blanks instead of comments, so that positions stay the same. A comment without an end is
  /// left for the parser to refuse.
  private static func withoutComments(_ text: [UInt8]) -> [UInt8] {
    var bytes = text
    var (offset, isInString) = (0, false)
    while offset < bytes.count {
      let byte = bytes[offset]
      if isInString {
        if byte == UInt8(ascii: "\\") { offset += 1 } else if byte == UInt8(ascii: "\"") { isInString = false }
        offset += 1
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
        offset += 1
      } else if byte == UInt8(ascii: "/"), let end = endOfComment(in: bytes, from: offset) {
        for position in offset..<end where bytes[position] != UInt8(ascii: "\n") { bytes[position] = UInt8(ascii: " ") }
        offset = end
      } else {
        offset += 1
      }
    }
    return bytes
  }

  private static func endOfComment(in bytes: [UInt8], from start: Int) -> Int? {
    guard start + 1 < bytes.count else { return nil }
    switch bytes[start + 1] {
    case UInt8(ascii: "/"): return bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    case UInt8(ascii: "*"):
      var offset = start + 2
      while offset + 1 < bytes.count {
        if bytes[offset] == UInt8(ascii: "*"), bytes[offset + 1] == UInt8(ascii: "/") { return offset + 2 }
        offset += 1
      }
      return nil
    default: return nil
    }
  }

  private static func position(of offset: Int, in bytes: [UInt8]) -> String {
    let before = bytes.prefix(offset)
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    // Columns count characters: bytes that continue one are left out.
    return "line \(line), column \(before[start...].count { $0 & 0xC0 != 0x80 } + 1)"
  }
}
