/// A path that addresses nothing: a key in it cannot exist, or there are too many.
public struct PathError: Error, Sendable, Equatable {
  /// What is wrong with a key or a path. The raw values are stable.
  public enum Code: String, Sendable, CaseIterable {
    case emptyKey = "empty-key"
    case forbiddenCharacter = "forbidden-character"
    case keyTooLong = "key-too-long"
    case tooDeep = "too-deep"
  }

  public var code: Code

  public init(_ code: Code) { self.code = code }

  /// The text that clients are shown, the same for every cause.
  public static let text = "Invalid token in path"

  public static func == (a: PathError, b: PathError) -> Bool { a.code == b.code }
}

extension PathError: CustomStringConvertible {
  public var description: String { "\(Self.text) (\(code.rawValue))" }
}
