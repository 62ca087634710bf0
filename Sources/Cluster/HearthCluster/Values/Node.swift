/// A node's name in its cluster, as the operator gives it.
package struct NodeID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The name, 1 to 63 bytes.
  package var name: String

  /// Creates the ID of the node with that name.
  package init(_ name: String) { self.name = name }

  package static func < (left: NodeID, right: NodeID) -> Bool { left.name < right.name }
  package var description: String { name }
}

/// One run of a node, from its registration until its lease was declared ended. An incarnation holds clients' sessions;
/// a new one holds none of those of an earlier one.
package struct Incarnation: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The node.
  package var node: NodeID
  /// The number, which grows with every registration of the node and is never reused, not even after the store lost
  /// acknowledged rows. The store takes the larger of the last one plus 1 and its own clock's milliseconds.
  package var number: Int64

  /// Creates an incarnation of a node.
  package init(node: NodeID, number: Int64) {
    self.node = node
    self.number = number
  }

  package static func < (left: Incarnation, right: Incarnation) -> Bool {
    (left.node, left.number) < (right.node, right.number)
  }
  package var description: String { "\(node)#\(number)" }
}

/// The cluster's number of a database.
package struct DatabaseID: Sendable, Hashable {
  package var rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// A client's connection to its node, which draws the number at random.
package struct SessionID: Sendable, Hashable, Comparable, CustomStringConvertible {
  package var rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package static func < (left: SessionID, right: SessionID) -> Bool { left.rawValue < right.rawValue }
  package var description: String { "s\(rawValue)" }
}
