import CRE2

/// A compiled regular expression of the rules language. Matching takes time linear in the text.
final class LinearRegex: @unchecked Sendable {  // because RE2 lets threads share a compiled pattern
  private let pattern: OpaquePointer

  /// Compiles the body of a literal, without its slashes.
  init(_ body: String, ignoresCase: Bool) throws(RegexProblem) {
    let translated = try RegexTranslator.translate(body, ignoresCase: ignoresCase)
    var explanation = [CChar](repeating: 0, count: 200)
    let compiled = translated.withCString { text in
      cre2_compile(text, translated.utf8.count, Self.memoryBytesMax, &explanation, explanation.count)
    }
    guard let compiled else {
      let bytes = explanation.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw RegexProblem(String(decoding: bytes, as: UTF8.self))
    }
    pattern = compiled
  }

  deinit { cre2_free(pattern) }

  /// Instructions that the pattern became.
  var programSize: Int { cre2_program_size(pattern) }

  /// Bounds the program, and the automaton states that matching caches.
  private static let memoryBytesMax: Int64 = 16 << 20

  /// True when some part of the text matches.
  func matches(_ text: String) -> Bool {
    Text.withBytes(text) { bytes in
      // Characters beyond U+FFFF are two units to the service's engine, and so they are here: see RegexTranslator.
      if bytes.contains(where: { $0 >= 0xF0 }) { return matches(SurrogateText.encode(bytes)) }
      return bytes.withMemoryRebound(to: CChar.self) { cre2_matches(pattern, $0.baseAddress, $0.count) }
    }
  }

  private func matches(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { buffer in
      buffer.withMemoryRebound(to: CChar.self) { cre2_matches(pattern, $0.baseAddress, $0.count) }
    }
  }
}

/// UTF-8 in which each half of a surrogate pair is a three-byte sequence of its own.
enum SurrogateText {
  static func encode(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 2)
    for unit in String(decoding: bytes, as: UTF8.self).utf16 {
      switch unit {
      case 0..<0x80: result.append(UInt8(unit))
      case 0x80..<0x800:
        result.append(0xC0 | UInt8(unit >> 6))
        result.append(0x80 | UInt8(unit & 0x3F))
      default:
        result.append(0xE0 | UInt8(unit >> 12))
        result.append(0x80 | UInt8(unit >> 6 & 0x3F))
        result.append(0x80 | UInt8(unit & 0x3F))
      }
    }
    return result
  }
}
