/// A value that holds secrets and shows none of them when it is printed, interpolated or dumped, by itself or as part
/// of another value.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  public var description: String { "<\(Self.self)>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
