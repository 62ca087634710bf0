import Foundation
import HearthTree

/// An immutable copy of the data at a path at one time.
public final class DataSnapshot: Sendable {
  /// The location.
  public let ref: DatabaseReference
  let node: Node
  /// The sort order of the children.
  private let order: Query.Order

  /// Creates a snapshot of the data at a path, with its children in the given order.
  package init(_ ref: DatabaseReference, _ node: Node, order: Query.Order = .priority) {
    self.ref = ref
    self.node = node
    self.order = order
  }

  /// Creates a snapshot for unit tests, from a value that `setValue(_:)` accepts. An invalid value ends the program.
  ///
  /// - Parameter value: `nil` for a location without data.
  public convenience init(ref: DatabaseReference, value: Any?) {
    let data = DatabaseArgumentError.trapping { try ValueReader.value(value, at: ref.path, from: "init:") }
    self.init(ref, data.node)
  }

  /// The last key of the location's path; empty for the root.
  public var key: String { ref.key ?? "" }

  /// The data: `NSNull` when there is none, an `NSNumber`, a `String`, a `[String: Any]`, or an `[Any]` when the keys
  /// are mostly `0`, `1`, `2`, …. Priorities are omitted.
  public var value: Any? { ValueWriter.value(node) }

  /// Returns the data with priorities, in a form that `setValue(_:)` accepts.
  public func valueInExportFormat() -> Any? { ValueWriter.exported(node) }

  /// The priority: `NSNull` for none, an `NSNumber` or a `String`.
  public var priority: Any? { node.priority.map { ValueWriter.value($0) } ?? NSNull() }

  /// Returns true when there is data.
  public func exists() -> Bool { !node.isEmpty }

  /// Returns true when there are children.
  public func hasChildren() -> Bool { node.childCount > 0 }

  /// The number of children.
  public var childrenCount: UInt { UInt(node.childCount) }

  /// Returns true when there is data at a path below. A path with a forbidden character ends the program.
  public func hasChild(_ childPathString: String) -> Bool {
    let path = DatabaseArgumentError.trapping { try Validation.path(childPathString, from: "hasChild:") }
    return !node[path].isEmpty
  }

  /// Returns the snapshot at a path below; an empty one when there is no data. A path with a forbidden character ends
  /// the program.
  public func childSnapshot(forPath childPathString: String) -> DataSnapshot {
    let path = DatabaseArgumentError.trapping { try Validation.path(childPathString, from: "child:") }
    return DataSnapshot(ref.below(path), node[path])
  }

  /// The children in the order of the query, each a ``DataSnapshot``.
  public var children: NSEnumerator { SnapshotEnumerator(childSnapshots.makeIterator()) }

  /// The children in the order of the query.
  public var childSnapshots: some Sequence<DataSnapshot> {
    OrderedChildren(node, by: order).lazy.map { [ref] key, node in DataSnapshot(ref.below(Path([key])), node) }
  }

  /// Decodes the data as a value of a type.
  ///
  /// - Throws: `DecodingError`; `.valueNotFound` when there is no data and the type is not an Optional.
  public func data<Value: Decodable>(
    as type: Value.Type, decoder: Database.Decoder = Database.Decoder()
  ) throws -> Value {
    try decoder.decode(type, from: value ?? NSNull())
  }
}

extension DataSnapshot: CustomStringConvertible {
  /// The key and the data as JSON.
  public var description: String {
    "Snap (\(key)) " + String(decoding: node.json(.export), as: UTF8.self)
  }
}

/// An enumerator of snapshots for Foundation.
private final class SnapshotEnumerator<Snapshots: IteratorProtocol>: NSEnumerator {
  private var snapshots: Snapshots

  init(_ snapshots: Snapshots) { self.snapshots = snapshots }

  override func nextObject() -> Any? { snapshots.next() }
}
