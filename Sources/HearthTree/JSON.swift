/// A general JSON value for small things that are not tree data: claims, `authvar`, query objects.
///
/// Unlike tree data it keeps `null`, empty containers, arrays and any member name. Members stay in source order.
public enum JSON: Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case array([JSON])
  case object([Member])

  public struct Member: Sendable {
    public var name: String
    public var value: JSON
    public init(_ name: String, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }

  /// The member of that name, by code units; nil when absent or when this is not an object.
  public subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  public var string: String? { if case .string(let text) = self { text } else { nil } }
}
