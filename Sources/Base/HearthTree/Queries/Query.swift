/// What a listen, a `get` or a REST read asks for beyond a path: an order, bounds and a limit.
///
/// Two queries are equal when they mean the same, however they are spelled: a bound that excludes the end of all keys
/// excludes nothing, and `1` is `1.0`. An order that was not named is another one than `priority` that was, because
/// rules can tell them apart.
public struct Query: Sendable {
  /// What the children are sorted by; those of equal value are sorted by key.
  public enum Order: Sendable, Hashable {
    /// By each child's priority.
    case priority
    /// By key; there is no value.
    case key
    /// By each child's own value.
    case value
    /// By a descendant's value, at a path relative to each child.
    case child(Path)
  }

  /// Which of the children of equal value a bound stands at.
  public enum BoundKey: Sendable, Hashable {
    /// Before every key: how clients write it is `[MIN_NAME]` or `[MIN_KEY]`.
    case lowest
    /// After every key: `[MAX_NAME]` or `[MAX_KEY]`.
    case highest
    /// At this key, which may be longer than a key can be, and hold what a key cannot.
    case key(Key)
  }

  /// One end of the range, a point in (value, key) order.
  public struct Bound: Sendable, Hashable {
    /// nil is the bound `null`.
    public var value: Scalar?
    /// Breaks ties between children of equal value; nil is before (start) or after (end) every key.
    public var key: BoundKey?
    /// True when what stands exactly there is in the range.
    public var isInclusive: Bool

    /// A bound at a value, and at a key among children of that value.
    public init(value: Scalar?, key: BoundKey? = nil, isInclusive: Bool = true) {
      self.value = value
      self.key = key
      self.isInclusive = isInclusive
    }
  }

  /// How many of the children in the range are meant, and from which end they are counted.
  public enum Limit: Sendable, Hashable {
    /// That many from the beginning of the order.
    case first(Int)
    /// That many from its end.
    case last(Int)
  }

  /// nil when the caller named no order (the order is then by priority).
  public var order: Order?
  /// The place where the range begins; nil for the beginning of the order.
  public var start: Bound?
  /// The place where the range ends; nil for the end of the order.
  public var end: Bound?
  /// nil for all children in the range.
  public var limit: Limit?

  /// A query of these parts; without any, all children by priority.
  public init(order: Order? = nil, start: Bound? = nil, end: Bound? = nil, limit: Limit? = nil) {
    self.order = order
    self.start = start
    self.end = end
    self.limit = limit
  }
}
