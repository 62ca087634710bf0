/// A value to write: a node, and the server values in it.
///
/// While a server value is unresolved, ``node`` has the number 0 in its location, so that the structure and the
/// priorities are already those of the result.
public struct WriteValue: Sendable {
  /// The node to write, with the number 0 instead of server values.
  public var node: Node
  /// The server values.
  public var deferred: [Deferred]
  /// The number of keys from the written location to its deepest leaf: 0 for a leaf or no value. For a text with
  /// repeated names, it may be the depth of a value that was replaced.
  public var depth: Int

  /// A server value, `{".sv": …}`, in a written value.
  public struct Deferred: Sendable {
    /// The location, relative to the location that is written.
    public var location: Location
    /// The operation that gives the value.
    public var operation: Operation
    /// Creates a server value at a location.
    public init(location: Location, operation: Operation) {
      self.location = location
      self.operation = operation
    }
  }

  /// The operations that compute a server value.
  public enum Operation: Sendable {
    /// The server's time in milliseconds, one value for the whole write.
    case timestamp
    /// The sum of the existing number and this one; only this one when there is no number yet.
    case increment(Scalar)
  }

  /// Creates a value to write.
  public init(_ node: Node, deferred: [Deferred] = [], depth: Int = 0) {
    self.node = node
    self.deferred = deferred
    self.depth = depth
  }

  /// True when the write can add stored data. A server value counts as data.
  public var addsData: Bool { !node.isEmpty || !deferred.isEmpty }

  /// Returns the node to store, with every server value computed from the existing value at the same location.
  public func resolved(existing: Node, nowMilliseconds: Int64) -> Node {
    var result = node
    for item in deferred {
      let (place, before) = (result[item.location.path], existing[item.location.path])
      let value = item.operation.result(
        before: item.location.isPriority ? before.priority : before.scalar, nowMilliseconds: nowMilliseconds)
      let filled = item.location.isPriority ? place.with(priority: value) : Node(value, priority: place.priority)
      result = result.replacing(item.location.path, with: filled)
    }
    return result
  }
}

extension WriteValue.Operation {
  /// Returns the scalar that replaces `before`. The sum of two integers is an integer unless it overflows; a sum beyond
  /// the doubles is the largest double, because the tree holds no infinity.
  func result(before: Scalar?, nowMilliseconds: Int64) -> Scalar {
    switch self {
    case .timestamp: return .int(nowMilliseconds)
    case .increment(let delta):
      if case .int(let x)? = before, case .int(let y) = delta {
        let (sum, overflow) = x.addingReportingOverflow(y)
        if !overflow { return .int(sum) }
      }
      guard let x = before?.number, let y = delta.number else { return delta }
      let largest = Double.greatestFiniteMagnitude
      return .double(min(max(x + y, -largest), largest))
    }
  }
}

/// One replacement of a write request: a put has one, a merge has several that apply together.
public struct Write: Sendable {
  /// The location that is replaced.
  public var location: Location
  /// The new value.
  public var value: WriteValue

  /// Creates a replacement.
  public init(location: Location, value: WriteValue) {
    self.location = location
    self.value = value
  }
}
