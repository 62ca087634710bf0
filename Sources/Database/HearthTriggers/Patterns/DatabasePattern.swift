/// The databases of a trigger: a name, or a pattern of names with one `*`.
public struct DatabasePattern: Sendable, Equatable {
  /// The original text.
  public let text: String

  /// The pattern of every database.
  public static let all = DatabasePattern(unchecked: "*")

  private init(unchecked text: String) { self.text = text }

  /// Parses `name`, `*` or `demo-*`.
  ///
  /// - Throws: ``TriggerProblem`` for characters that names cannot have, and for a second `*`.
  public init(_ text: String) throws(TriggerProblem) {
    let isName = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: "*"):
        true
      default: false
      }
    }
    guard isName, (1...63).contains(text.utf8.count), text.count(where: { $0 == "*" }) <= 1 else {
      throw TriggerProblem("\(text) is neither a database name nor a pattern such as demo-*")
    }
    self.init(unchecked: text)
  }

  /// Returns true when the pattern matches the database name.
  public func matches(_ name: String) -> Bool {
    guard let star = text.utf8.firstIndex(of: UInt8(ascii: "*")) else { return text == name }
    let (prefix, suffix) = (text.utf8[..<star], text.utf8[text.utf8.index(after: star)...])
    return name.utf8.count >= prefix.count + suffix.count && name.utf8.starts(with: prefix)
      && name.utf8.suffix(suffix.count).elementsEqual(suffix)
  }
}
