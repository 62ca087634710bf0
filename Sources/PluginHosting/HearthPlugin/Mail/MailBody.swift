/// The body of a mail, as lines that SMTP can carry.
struct MailBody {
  /// The lines without line ends, none longer than 998 bytes unless the caller allowed it.
  let lines: [String]
  /// The value of `Content-Transfer-Encoding`.
  let encoding: String

  init(_ text: String, keepsLongLines: Bool) {
    let lines = Self.split(text)
    if keepsLongLines {
      (self.lines, encoding) = (lines, "8bit")
    } else if lines.allSatisfy(Self.isPlain) {
      (self.lines, encoding) = (lines, "7bit")
    } else {
      (self.lines, encoding) = (lines.flatMap(Self.quotedPrintable), "quoted-printable")
    }
  }

  private static func isPlain(_ line: String) -> Bool {
    line.utf8.count <= 998 && line.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 < 0x7F) }
  }

  /// Splits a text into lines: CR, LF and CR LF all end a line; a NUL, which mail cannot carry, is dropped.
  private static func split(_ text: String) -> [String] {
    var lines: [[UInt8]] = [[]]
    var last: UInt8 = 0
    for byte in text.utf8 where byte != 0 {
      switch byte {
      case 0x0A where last == 0x0D: break
      case 0x0A, 0x0D: lines.append([])
      default: lines[lines.count - 1].append(byte)
      }
      last = byte
    }
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Encodes a line after RFC 2045 §6.7: lines of at most 76 characters, with a `=` at the end of those that continue.
  private static func quotedPrintable(_ line: String) -> [String] {
    let digits = Array("0123456789ABCDEF")
    var out: [String] = []
    var current = ""
    let bytes = Array(line.utf8)
    for (i, byte) in bytes.enumerated() {
      let isBlankAtEnd = (byte == 0x20 || byte == 0x09) && i == bytes.count - 1
      let isPlain = (byte == 0x09 || (byte >= 0x20 && byte < 0x7F)) && byte != UInt8(ascii: "=") && !isBlankAtEnd
      let unit = isPlain ? String(UnicodeScalar(byte)) : "=\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      if current.utf8.count + unit.utf8.count > 75 {
        out.append(current + "=")
        current = ""
      }
      current += unit
    }
    return out + [current]
  }
}
