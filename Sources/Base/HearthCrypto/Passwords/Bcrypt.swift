import CCrypt

/// bcrypt, for imported hashes only.
enum Bcrypt {
  /// The accepted costs. Higher ones take seconds; lower ones do not exist in bcrypt.
  static let costRange = 4...15

  /// Returns the cost of a well-formed hash (`$2a$`, `$2b$` or `$2y$`, two digits, 53 characters); nil for any other
  /// text, including the broken variant `$2x$` and `*0`, with which `crypt` reports failures.
  static func cost(of text: [UInt8]) -> Int? {
    guard text.count == 60, text[0] == UInt8(ascii: "$"), text[1] == UInt8(ascii: "2"),
      [UInt8(ascii: "a"), UInt8(ascii: "b"), UInt8(ascii: "y")].contains(text[2]), text[3] == UInt8(ascii: "$"),
      text[6] == UInt8(ascii: "$"), let cost = Int(String(decoding: text[4..<6], as: UTF8.self)),
      costRange.contains(cost), text[4...5].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    let isAlphabet = text[7...].allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }
    return isAlphabet ? cost : nil
  }

  /// Returns the password's hash with the cost and the salt of a well-formed `setting`: 60 bytes of text; nil when it
  /// cannot be computed.
  ///
  /// It is nil for a password with a zero byte, after which a C string ends and the rest would be ignored. Bytes after
  /// the 72nd are ignored; that is bcrypt's own limit, with which imported hashes were made.
  static func hash(_ password: borrowing WipedBytes, setting: [UInt8]) -> [UInt8]? {
    guard cost(of: setting) != nil else { return nil }
    var out = [UInt8](repeating: 0, count: Int(CRYPT_OUTPUT_SIZE))
    let length = password.withBytes { password -> Int in
      guard !password.contains(0) else { return 0 }
      return hearth_bcrypt(password.baseAddress, password.count, setting + [0], &out)
    }
    return length == 60 ? Array(out[..<60]) : nil
  }
}
