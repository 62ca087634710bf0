/// The reason why a JSON text, or the data in it, was refused, with its offset.
public struct JSONError: Error, Sendable {
  /// The closed list of causes. The raw values are stable.
  public enum Code: String, Sendable, CaseIterable {
    /// The text ends inside a value.
    case unexpectedEnd = "unexpected-end"
    /// A byte that is not JSON.
    case unexpectedByte = "unexpected-byte"
    /// A complete value is followed by more text.
    case trailingBytes = "trailing-bytes"
    /// A string that is not UTF-8.
    case invalidUTF8 = "invalid-utf8"
    /// An unknown escape, or half of a surrogate pair.
    case invalidEscape = "invalid-escape"
    /// A number beyond the range of doubles, or with too many characters.
    case numberOutOfRange = "number-out-of-range"
    /// A JSON value of another kind than the expected one.
    case wrongKind = "wrong-kind"
    /// Containers are nested too deeply, or a leaf is too deep in the tree.
    case tooDeep = "too-deep"
    /// A string leaf above its maximum size.
    case stringTooLong = "string-too-long"
    /// More values, server values or paths than one request may have.
    case tooMany = "too-many"
    /// A key that cannot be stored.
    case invalidKey = "invalid-key"
    /// A `.value`, or another name with a leading dot, in a position where it is not allowed.
    case invalidMetadata = "invalid-metadata"
    /// A priority that is neither a number, a string, null nor a server value.
    case invalidPriority = "invalid-priority"
    /// A `.sv` that is neither `timestamp` nor an increment.
    case unknownServerValue = "unknown-server-value"
    /// A member name of a multi-path update that is not a path.
    case invalidPath = "invalid-path"
    /// One path of a multi-path update is at or below another.
    case overlappingPaths = "overlapping-paths"
  }

  /// The fault.
  public var code: Code
  /// The description in one sentence, without the offset.
  public var message: String
  /// The byte at which reading stopped, counted from the first byte of the text.
  public var offset: Int

  /// Creates an error at a byte of the text.
  public init(_ code: Code, _ message: String, at offset: Int) {
    self.code = code
    self.message = message
    self.offset = offset
  }
}

extension JSONError: Equatable {
  /// Compares the codes.
  public static func == (a: JSONError, b: JSONError) -> Bool { a.code == b.code }
}

extension JSONError: CustomStringConvertible {
  public var description: String { "\(message) (byte \(offset))" }
}
