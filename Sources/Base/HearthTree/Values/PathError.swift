/// An invalid path: one of its keys is not allowed, or there are too many.
public struct PathError: Error, Sendable, Equatable {
  /// The fault of a key or a path. The raw values are stable.
  public enum Code: String, Sendable, CaseIterable {
    /// A key is empty.
    case emptyKey = "empty-key"
    /// A key has one of `.`, `#`, `$`, `[`, `]`, `/` or a control character.
    case forbiddenCharacter = "forbidden-character"
    /// A key has more than `DataLimits.keySizeBytesMax` bytes.
    case keyTooLong = "key-too-long"
    /// A path has more than `DataLimits.depthMax` keys.
    case tooDeep = "too-deep"
  }

  /// The fault.
  public var code: Code

  /// Creates an error.
  public init(_ code: Code) { self.code = code }

  /// The message that is sent to clients; it is the same for every cause.
  public static let text = "Invalid token in path"

  public static func == (a: PathError, b: PathError) -> Bool { a.code == b.code }
}

extension PathError: CustomStringConvertible {
  public var description: String { "\(Self.text) (\(code.rawValue))" }
}
