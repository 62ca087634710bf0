/// The order, bounds and limit of a listen, a `get` or a REST read.
///
/// Two queries are equal when they mean the same, even in different notations: for example, a bound that excludes only
/// the position after all keys excludes nothing, and `1` equals `1.0`. A query without a named order differs from one
/// that names `priority`, because rules can tell them apart.
public struct Query: Sendable {
  /// The order of the children; those of equal value are sorted by key.
  public enum Order: Sendable, Hashable {
    /// The order of the children's priorities.
    case priority
    /// The order of the keys. The children have no sort value.
    case key
    /// The order of the children's own values.
    case value
    /// The order of a descendant's values, at a path relative to each child.
    case child(Path)
  }

  /// The position of a bound among children of equal value.
  public enum BoundKey: Sendable, Hashable {
    /// The position before every key: clients write it as `[MIN_NAME]` or `[MIN_KEY]`.
    case lowest
    /// The position after every key: `[MAX_NAME]` or `[MAX_KEY]`.
    case highest
    /// The position of a key, which need not be valid: it may be too long or contain forbidden characters.
    case key(Key)
  }

  /// One end of the range, a point in (value, key) order.
  public struct Bound: Sendable, Hashable {
    /// The value; nil stands for `null`.
    public var value: Scalar?
    /// The key that breaks ties between children of equal value; nil is before (start) or after (end) every key.
    public var key: BoundKey?
    /// True when a child exactly at the bound is in the range.
    public var isInclusive: Bool

    /// Creates a bound at a value and, among children of equal value, at a key.
    public init(value: Scalar?, key: BoundKey? = nil, isInclusive: Bool = true) {
      self.value = value
      self.key = key
      self.isInclusive = isInclusive
    }
  }

  /// The number of children of a result, with the end of the range from which they are counted.
  public enum Limit: Sendable, Hashable {
    /// The first children of the range.
    case first(Int)
    /// The last children of the range.
    case last(Int)
  }

  /// The order; nil when none was named (the children are then ordered by priority).
  public var order: Order?
  /// The start of the range; nil for the beginning of the order.
  public var start: Bound?
  /// The end of the range; nil for the end of the order.
  public var end: Bound?
  /// The limit; nil for all children in the range.
  public var limit: Limit?

  /// Creates a query; without arguments, it selects all children by priority.
  public init(order: Order? = nil, start: Bound? = nil, end: Bound? = nil, limit: Limit? = nil) {
    self.order = order
    self.start = start
    self.end = end
    self.limit = limit
  }
}
