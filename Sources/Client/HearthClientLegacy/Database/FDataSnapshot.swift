import Foundation
import HearthClient

/// An immutable copy of the data at a path.
public final class FDataSnapshot: NSObject, Sendable {
  private let snapshot: DataSnapshot

  init(_ snapshot: DataSnapshot) { self.snapshot = snapshot }

  /// The location.
  public var ref: Firebase { Firebase(snapshot.ref) }
  /// The last key of the path; nil at the root.
  public var key: String! { snapshot.ref.key }
  /// The data: dictionaries, arrays, texts, numbers; `NSNull` for none.
  public var value: Any! { snapshot.value ?? NSNull() }
  /// Returns the data with its priorities.
  public func valueInExportFormat() -> Any! { snapshot.valueInExportFormat() ?? NSNull() }
  /// The priority; `NSNull` for none.
  public var priority: Any! { snapshot.priority ?? NSNull() }
  /// Returns true when there is data.
  public func exists() -> Bool { snapshot.exists() }
  /// The number of children.
  public var childrenCount: UInt { snapshot.childrenCount }
  /// Returns true when there are children.
  public func hasChildren() -> Bool { snapshot.hasChildren() }
  /// Returns true when there is data at a path below.
  public func hasChild(_ childPathString: String) -> Bool { snapshot.hasChild(childPathString) }
  /// Returns the snapshot at a path below.
  public func childSnapshotForPath(_ childPathString: String) -> FDataSnapshot {
    FDataSnapshot(snapshot.childSnapshot(forPath: childPathString))
  }

  /// The children in their order, each an ``FDataSnapshot``.
  public var children: NSEnumerator {
    NSArray(array: snapshot.childSnapshots.map { FDataSnapshot($0) }).objectEnumerator()
  }

  public override var description: String { snapshot.description }
}

/// The data of a transaction, to be changed in place.
public final class FMutableData: NSObject {
  let data: MutableData

  init(_ data: MutableData) { self.data = data }

  /// The last key of the path; nil at the root.
  public var key: String! { data.key }
  /// The data. A new value removes the priority.
  public var value: Any! {
    get { data.value ?? NSNull() }
    set { data.value = newValue }
  }
  /// The priority; `NSNull` for none.
  public var priority: Any! {
    get { data.priority ?? NSNull() }
    set { data.priority = newValue }
  }
  /// Returns true when there are children.
  public func hasChildren() -> Bool { data.hasChildren() }
  /// Returns true when there is data at a path below.
  public func hasChildAtPath(_ path: String) -> Bool { data.hasChild(atPath: path) }
  /// The number of children.
  public var childrenCount: UInt { data.childrenCount }
  /// Returns the data at a path below.
  public func childDataByAppendingPath(_ path: String) -> FMutableData {
    FMutableData(data.childData(byAppendingPath: path))
  }

  /// The children, each an ``FMutableData``.
  public var children: NSEnumerator {
    let all = data.children.allObjects.compactMap { ($0 as? MutableData).map { FMutableData($0) } }
    return NSArray(array: all).objectEnumerator()
  }
}

/// The decision of a transaction's block.
public final class FTransactionResult: NSObject {
  let result: TransactionResult

  private init(_ result: TransactionResult) { self.result = result }

  /// Writes this data.
  public static func successWithValue(_ value: FMutableData) -> FTransactionResult {
    FTransactionResult(.success(withValue: value.data))
  }

  /// Aborts without a write.
  public static func abort() -> FTransactionResult { FTransactionResult(.abort()) }
}

/// The placeholders that the server fills in.
public enum FirebaseServerValue {
  /// Returns the placeholder of the write's time, in milliseconds since 1970.
  public static func timestamp() -> [AnyHashable: Any] { ServerValue.timestamp() }
}

/// The placeholder of the write's time, in milliseconds since 1970; see ``FirebaseServerValue/timestamp()``.
public var kFirebaseServerValueTimestamp: [AnyHashable: Any] { ServerValue.timestamp() }
