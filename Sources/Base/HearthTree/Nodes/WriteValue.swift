/// A value on its way into the tree: a node, and the server values in it.
///
/// While a deferred value is unresolved its place in ``node`` holds the number 0, so that the shape (and the priorities
/// around it) is already that of the result.
public struct WriteValue: Sendable {
  /// The node to write, with the number 0 in place of server values.
  public var node: Node
  /// The server values.
  public var deferred: [Deferred]
  /// Keys from the written location down to its deepest leaf: 0 for a leaf or nothing. Of a text with repeated names it
  /// may be that of a value which did not count.
  public var depth: Int

  /// `{".sv": …}` somewhere in a written value.
  public struct Deferred: Sendable {
    /// The location, relative to the one that is written.
    public var location: Location
    /// The operation that gives the value.
    public var operation: Operation
    /// Makes a server value at that location.
    public init(location: Location, operation: Operation) {
      self.location = location
      self.operation = operation
    }
  }

  /// The operations that give a server value.
  public enum Operation: Sendable {
    /// The server's time in milliseconds, one value for the whole write.
    case timestamp
    /// The existing number plus this one; this one when there is no number yet.
    case increment(Scalar)
  }

  /// Makes a value to write.
  public init(_ node: Node, deferred: [Deferred] = [], depth: Int = 0) {
    self.node = node
    self.deferred = deferred
    self.depth = depth
  }

  /// True when the write can add stored data. A server value counts as data.
  public var addsData: Bool { !node.isEmpty || !deferred.isEmpty }

  /// The node to store: every deferred value computed from the existing value at the same location.
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
  /// The scalar that replaces `before`. Two integers make an integer unless they overflow; a sum beyond the doubles is
  /// the largest double, because the tree holds no infinity.
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

  /// Makes a replacement of that location.
  public init(location: Location, value: WriteValue) {
    self.location = location
    self.value = value
  }
}
