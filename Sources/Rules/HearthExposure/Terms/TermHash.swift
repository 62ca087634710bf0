import HearthRules
import HearthTree

/// A hash of terms. Equal terms have equal hashes; different terms almost always have different ones.
///
/// Texts come from untrusted rules files; the random seed prevents texts that were chosen to collide.
struct TermHash {
  private(set) var bits = TermHash.seed

  private static let seed = UInt64.random(in: .min ... .max)

  /// Computes the hash of a term that contains texts or any number of terms.
  init(_ term: Term) {
    switch term {
    case .text(let text): add(text)
    case .claim(let names):
      add(1)
      for name in names { add(name) }
    case .joined(let parts):
      add(2)
      for part in parts { add(UInt64(truncatingIfNeeded: part)) }
    case .applied(let function, let arguments):
      add(3)
      add(Key(function.rawValue))
      for argument in arguments { add(UInt64(truncatingIfNeeded: argument)) }
    default: break
    }
  }

  private mutating func add(_ word: UInt64) {
    let (high, low) = (bits ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    bits = high ^ low ^ Self.seed
  }

  private mutating func add(_ text: Key) {
    text.withUTF8 { bytes in
      add(UInt64(bytes.count))
      var index = 0
      while index + 8 <= bytes.count {
        add(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        index += 8
      }
      var rest: UInt64 = 0
      for byte in bytes[index...] { rest = rest << 8 | UInt64(byte) }
      add(rest)
    }
  }
}
