/// The order, bounds and limit of a listen, a `get` or a REST read.
///
/// Two queries are equal when they mean the same, however they are spelled: a bound that excludes the end of all keys
/// excludes nothing, and `1` is `1.0`. A query without a named order differs from one that names `priority`, because
/// rules can tell them apart.
public struct Query: Sendable {
  /// The order of the children; those of equal value are sorted by key.
  public enum Order: Sendable, Hashable {
    /// The order of the children's priorities.
    case priority
    /// The order of keys; there is no value.
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
    /// The position of this key, which may be longer than a key can be, and hold what a key cannot.
    case key(Key)
  }

  /// One end of the range, a point in (value, key) order.
  public struct Bound: Sendable, Hashable {
    /// The value; nil is the bound `null`.
    public var value: Scalar?
    /// The key that breaks ties between children of equal value; nil is before (start) or after (end) every key.
    public var key: BoundKey?
    /// True when a child exactly at the bound is in the range.
    public var isInclusive: Bool

    /// A bound at a value, and at a key among children of that value.
    public init(value: Scalar?, key: BoundKey? = nil, isInclusive: Bool = true) {
      self.value = value
      self.key = key
      self.isInclusive = isInclusive
    }
  }

  /// The number of children of a result, with the end of the range that they are counted from.
  public enum Limit: Sendable, Hashable {
    /// The first children of the range.
    case first(Int)
    /// The last children of the range.
    case last(Int)
  }

  /// The order; nil when the caller named none (the order is then by priority).
  public var order: Order?
  /// The start of the range; nil for the beginning of the order.
  public var start: Bound?
  /// The end of the range; nil for the end of the order.
  public var end: Bound?
  /// The limit; nil for all children in the range.
  public var limit: Limit?

  /// Makes a query; without arguments, all children by priority.
  public init(order: Order? = nil, start: Bound? = nil, end: Bound? = nil, limit: Limit? = nil) {
    self.order = order
    self.start = start
    self.end = end
    self.limit = limit
  }
}
