import Foundation
import HearthTree

/// The data of a transaction, to be changed in place. It is valid only inside the transaction's block.
public final class MutableData {
  /// The state shared by all parts of one transaction's data.
  private final class Root {
    var value: WriteValue
    init(_ value: WriteValue) { self.value = value }
  }

  private let root: Root
  /// The path of the transaction, whose depth counts toward the limit on the depth of data.
  private let base: Path
  private let path: Path

  /// Creates data for a unit test of a transaction's block, from a value that `setValue(_:)` accepts. An invalid value
  /// ends the program.
  ///
  /// - Parameters:
  /// - value: `nil` for a location without data.
  /// - key: The last key of the location's path; `nil` for the root.
  public convenience init(value: Any?, key: String? = nil) {
    self.init(.empty, at: Path(key.map { [Key($0)] } ?? []))
    self.value = value
  }

  init(_ node: Node, at base: Path) {
    root = Root(WriteValue(node))
    self.base = base
    path = .root
  }

  private init(_ root: Root, base: Path, path: Path) {
    self.root = root
    self.base = base
    self.path = path
  }

  /// The block's result, with the values that the server fills in.
  var result: WriteValue { WriteValue(node, deferred: root.value.deferred(at: path)) }

  private var node: Node { root.value.node[path] }

  /// The last key of the path; nil for the root of the database.
  public var key: String? { base.appending(path).keys.last?.text }

  /// The data, in the form of ``DataSnapshot/value``. A new value removes the priority. An invalid value ends the
  /// program, as in `setValue(_:)`.
  public var value: Any? {
    get { ValueWriter.value(node, root.value.deferred(at: path)) }
    set { DatabaseArgumentError.trapping { try setValue(newValue) } }
  }

  /// Replaces the data.
  func setValue(_ value: Any?) throws(DatabaseArgumentError) {
    root.value.replace(path, with: try ValueReader.value(value, at: base.appending(path), from: "setValue:"))
  }

  /// The priority: `NSNull` for none. An empty location has no priority.
  public var priority: Any? {
    get { node.priority.map { ValueWriter.value($0) } ?? NSNull() }
    set { DatabaseArgumentError.trapping { try setPriority(newValue) } }
  }

  /// Replaces the priority.
  func setPriority(_ priority: Any?) throws(DatabaseArgumentError) {
    var part = WriteValue(node, deferred: root.value.deferred(at: path))
    part.setPriority(try ValueReader.priority(priority, from: "setPriority:"))
    root.value.replace(path, with: part)
  }

  /// Returns true when there are children.
  public func hasChildren() -> Bool { node.childCount > 0 }

  /// The number of children.
  public var childrenCount: UInt { UInt(node.childCount) }

  /// Returns true when there is data at a path below.
  public func hasChild(atPath path: String) -> Bool { !node[Path(path)].isEmpty }

  /// Returns the data at a path below, which need not exist; changing it changes this object. A path with a forbidden
  /// character ends the program.
  public func childData(byAppendingPath path: String) -> MutableData {
    let below = DatabaseArgumentError.trapping { try Validation.path(path, from: "child:") }
    return MutableData(root, base: base, path: self.path.appending(below))
  }

  /// The current children by priority, each a ``MutableData``.
  public var children: NSEnumerator {
    let all = OrderedChildren(node, by: .priority).map { key, _ in
      MutableData(root, base: base, path: path.appending(key))
    }
    return NSArray(array: all).objectEnumerator()
  }
}

/// The decision of a transaction's block.
public final class TransactionResult {
  /// The new data; nil when the transaction is aborted.
  let data: MutableData?

  /// True when the block aborted the transaction.
  public var isAborted: Bool { data == nil }

  /// The value that the block would write, in the form of ``MutableData/value``; `nil` when the transaction is aborted.
  public var value: Any? { data?.value }

  private init(_ data: MutableData?) { self.data = data }

  /// Returns the decision to write this data.
  public static func success(withValue value: MutableData) -> TransactionResult { TransactionResult(value) }

  /// Returns the decision to abort without a write.
  public static func abort() -> TransactionResult { TransactionResult(nil) }
}

extension WriteValue {
  /// Returns the values that the server fills in at a path and below, relative to it.
  func deferred(at path: Path) -> [Deferred] {
    deferred.compactMap { item in
      path.relative(item.location.path).map {
        Deferred(location: Location(path: $0, isPriority: item.location.isPriority), operation: item.operation)
      }
    }
  }

  /// Replaces a part.
  mutating func replace(_ path: Path, with part: WriteValue) {
    deferred.removeAll { item in
      // Removes the server values at the path and below, and one above whose value becomes a parent.
      path.contains(item.location.path)
        || !item.location.isPriority && !part.node.isEmpty && item.location.path.contains(path)
    }
    node = node.replacing(path, with: part.node)
    deferred += part.deferred.map {
      Deferred(location: $0.location.under(path), operation: $0.operation)
    }
    // Removed parents have no server values.
    let node = node
    deferred.removeAll { node[$0.location.path].isEmpty }
  }
}
