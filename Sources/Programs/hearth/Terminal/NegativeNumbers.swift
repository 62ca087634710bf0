import HearthTree

/// The handling of negative numbers in arguments: the argument parser would take `-4` for an option.
enum NegativeNumbers {
  /// Returns the words with a space before each negative number, which JSON allows there. Words after `--` belong to
  /// another program.
  static func asValues(_ words: [String]) -> [String] {
    let end = words.firstIndex(of: "--") ?? words.endIndex
    return words[..<end].map { isNegativeNumber($0) ? " " + $0 : $0 } + words[end...]
  }

  private static func isNegativeNumber(_ word: String) -> Bool {
    guard word.utf8.first == UInt8(ascii: "-"), let value = JSON(parsing: word.utf8) else { return false }
    switch value {
    case .int, .double: return true
    default: return false
    }
  }
}
