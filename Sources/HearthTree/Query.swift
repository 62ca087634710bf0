/// What a listen, a `get` or a REST read asks for beyond a path: an order, bounds and a limit.
public struct Query: Sendable, Equatable {
  public enum Order: Sendable, Equatable {
    case priority
    case key
    case value
    /// By a descendant's value, at a path relative to each child.
    case child(Path)
  }

  /// One end of the range, a point in (value, key) order.
  public struct Bound: Sendable, Equatable {
    /// nil is the bound `null`.
    public var value: Scalar?
    /// Breaks ties between children of equal value; nil is before (start) or after (end) every key.
    public var key: Key?
    public var isInclusive: Bool

    public init(value: Scalar?, key: Key? = nil, isInclusive: Bool = true) {
      self.value = value
      self.key = key
      self.isInclusive = isInclusive
    }
  }

  public enum Limit: Sendable, Equatable {
    case first(Int)
    case last(Int)
  }

  /// nil when the caller named no order (the order is then by priority).
  public var order: Order?
  public var start: Bound?
  public var end: Bound?
  public var limit: Limit?

  public init(order: Order? = nil, start: Bound? = nil, end: Bound? = nil, limit: Limit? = nil) {
    self.order = order
    self.start = start
    self.end = end
    self.limit = limit
  }
}
