/// A finished text message to a phone: the server has written its text.
public struct SMSMessage: Sendable, Codable, Equatable {
  /// The purpose of a message.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// A code that its receiver types in to sign in, or as a second factor.
    case code
    /// An operator's test of the SMS gateway; no client waits for it.
    case test
  }

  /// The purpose of the message; the only field that may be logged.
  public var kind: Kind
  /// The receiver's number as E.164 has it: `+` and 8 to 15 digits.
  public var to: String
  /// The text. It may contain a code, which gives access to the account.
  public var text: String

  /// Creates a finished message; nil for a number that cannot be one, and for a text that is empty or longer than ``textBytesMax``.
  public init?(kind: Kind, to: String, text: String) {
    let digits = to.utf8.dropFirst()
    guard to.hasPrefix("+"), (8...15).contains(digits.count), digits.first != UInt8(ascii: "0"),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      (1...Self.textBytesMax).contains(text.utf8.count)
    else { return nil }
    self.kind = kind
    self.to = to
    self.text = text
  }

  /// The maximum size of a text in bytes: some ten messages' worth, which gateways join.
  public static let textBytesMax = 1_600
}

extension SMSMessage: CustomStringConvertible, CustomReflectable {
  /// The kind; neither number nor text.
  public var description: String { "<SMSMessage \(kind.rawValue)>" }
  /// Empty, so that a dump shows no more than the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
