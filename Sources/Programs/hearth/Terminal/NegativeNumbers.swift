import HearthTree

/// Negative numbers among a command's words: the parser of arguments would take `-4` for an option.
enum NegativeNumbers {
  /// The words with a space before each negative number, which JSON allows there. Words after `--` are another program's.
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
