/// A value with secrets, whose descriptions and mirror contain none of them, so that it can be printed or dumped, by
/// itself or as part of another value.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  public var description: String { "<\(Self.self)>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
