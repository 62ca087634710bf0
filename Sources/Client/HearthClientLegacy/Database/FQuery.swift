import Foundation
import HearthClient

/// The type of an event.
public enum FEventType: Int, Sendable, CaseIterable {
  /// A child was added.
  case childAdded = 0
  /// A child was removed.
  case childRemoved = 1
  /// The data of a child changed.
  case childChanged = 2
  /// The order value of a child changed.
  case childMoved = 3
  /// The data at the path changed.
  case value = 4

  // The names that Swift 2 gave the constants.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The same as ``childAdded``.
  public static let ChildAdded = FEventType.childAdded
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The same as ``childRemoved``.
  public static let ChildRemoved = FEventType.childRemoved
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The same as ``childChanged``.
  public static let ChildChanged = FEventType.childChanged
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The same as ``childMoved``.
  public static let ChildMoved = FEventType.childMoved
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The same as ``value``.
  public static let Value = FEventType.value

  var modern: DataEventType {
    switch self {
    case .childAdded: .childAdded
    case .childRemoved: .childRemoved
    case .childChanged: .childChanged
    case .childMoved: .childMoved
    case .value: .value
    }
  }
}

/// A location in a database with an order, bounds and a limit.
///
/// `@unchecked` because a class with subclasses cannot be checked; its properties are constants.
public class FQuery: NSObject, @unchecked Sendable {
  let query: DatabaseQuery
  /// True when an order other than by priority was chosen, so that bounds on priorities are invalid.
  private let hasOtherOrder: Bool

  init(_ query: DatabaseQuery, hasOtherOrder: Bool = false) {
    self.query = query
    self.hasOtherOrder = hasOtherOrder
  }

  private func with(_ query: DatabaseQuery, hasOtherOrder: Bool? = nil) -> FQuery {
    FQuery(query, hasOtherOrder: hasOtherOrder ?? self.hasOtherOrder)
  }

  /// The location without order, bounds and limit.
  public var ref: Firebase { Firebase(query.ref) }

  // MARK: Observers

  /// Observes events: at first the existing data, then its changes.
  @discardableResult
  public func observeEventType(
    _ eventType: FEventType, withBlock block: @escaping @isolated(any) (FDataSnapshot) -> Void
  )
    -> FirebaseHandle
  {
    observe(eventType, isOnce: false, Callback(block))
  }

  /// Observes events, with the key of the preceding child.
  @discardableResult
  public func observeEventType(
    _ eventType: FEventType,
    andPreviousSiblingKeyWithBlock block: @escaping @isolated(any) (FDataSnapshot, String?) -> Void
  ) -> FirebaseHandle {
    observe(eventType, isOnce: false, Callback(block))
  }

  /// Observes events, with a block that is called when the permission is revoked.
  @discardableResult
  public func observeEventType(
    _ eventType: FEventType, withBlock block: @escaping @isolated(any) (FDataSnapshot) -> Void,
    withCancelBlock cancelBlock: @escaping @isolated(any) (NSError) -> Void
  ) -> FirebaseHandle {
    observe(eventType, isOnce: false, Callback(block), Callback(cancelBlock))
  }

  /// Observes events, with the key of the preceding child and a block that is called when the permission is revoked.
  @discardableResult
  public func observeEventType(
    _ eventType: FEventType,
    andPreviousSiblingKeyWithBlock block: @escaping @isolated(any) (FDataSnapshot, String?) -> Void,
    withCancelBlock cancelBlock: @escaping @isolated(any) (NSError) -> Void
  ) -> FirebaseHandle {
    observe(eventType, isOnce: false, Callback(block), Callback(cancelBlock))
  }

  /// Observes only the first event.
  public func observeSingleEventOfType(
    _ eventType: FEventType, withBlock block: @escaping @isolated(any) (FDataSnapshot) -> Void
  ) {
    observe(eventType, isOnce: true, Callback(block))
  }

  /// Observes only the first event, with the key of the preceding child.
  public func observeSingleEventOfType(
    _ eventType: FEventType,
    andPreviousSiblingKeyWithBlock block: @escaping @isolated(any) (FDataSnapshot, String?) -> Void
  ) {
    observe(eventType, isOnce: true, Callback(block))
  }

  /// Observes only the first event, with a block that is called when the permission is missing.
  public func observeSingleEventOfType(
    _ eventType: FEventType, withBlock block: @escaping @isolated(any) (FDataSnapshot) -> Void,
    withCancelBlock cancelBlock: @escaping @isolated(any) (NSError) -> Void
  ) {
    observe(eventType, isOnce: true, Callback(block), Callback(cancelBlock))
  }

  /// Observes only the first event, with the key of the preceding child and a block that is called when the permission
  /// is missing.
  public func observeSingleEventOfType(
    _ eventType: FEventType,
    andPreviousSiblingKeyWithBlock block: @escaping @isolated(any) (FDataSnapshot, String?) -> Void,
    withCancelBlock cancelBlock: @escaping @isolated(any) (NSError) -> Void
  ) {
    observe(eventType, isOnce: true, Callback(block), Callback(cancelBlock))
  }

  @discardableResult
  private func observe(
    _ eventType: FEventType, isOnce: Bool, _ callback: Callback<FDataSnapshot>, _ cancel: Callback<NSError>? = nil
  ) -> FirebaseHandle {
    observe(eventType, isOnce: isOnce, callback.mapped { (event: (FDataSnapshot, String?)) in event.0 }, cancel)
  }

  @discardableResult
  private func observe(
    _ eventType: FEventType, isOnce: Bool, _ callback: Callback<(FDataSnapshot, String?)>,
    _ cancel: Callback<NSError>? = nil
  ) -> FirebaseHandle {
    query.observe(
      eventType.modern, isOnce: isOnce, callback.mapped { (FDataSnapshot($0.0), $0.1) },
      cancel: cancel?.mapped { $0 as NSError })
  }

  /// Removes an observer.
  public func removeObserverWithHandle(_ handle: FirebaseHandle) { query.removeObserver(withHandle: handle) }

  /// Removes all observers of this location.
  public func removeAllObservers() { query.removeAllObservers() }

  /// Keeps the data in sync without an observer.
  public func keepSynced(_ keepSynced: Bool) { query.keepSynced(keepSynced) }

  // MARK: Bounds on priorities

  private func byPriority() -> DatabaseQuery {
    precondition(!hasOtherOrder, "Bounds on priorities go with queryOrderedByPriority only; use queryStartingAtValue.")
    return query.queryOrderedByPriorityUnlessOrdered()
  }

  /// Selects children from a priority on; nil stands for no priority.
  public func queryStartingAtPriority(_ startPriority: Any?) -> FQuery {
    with(byPriority().queryStarting(atValue: startPriority))
  }

  /// Selects children from a priority and a key on.
  public func queryStartingAtPriority(_ startPriority: Any?, andChildName childName: String?) -> FQuery {
    with(byPriority().queryStarting(atValue: startPriority, childKey: childName))
  }

  /// Selects children up to a priority.
  public func queryEndingAtPriority(_ endPriority: Any?) -> FQuery {
    with(byPriority().queryEnding(atValue: endPriority))
  }

  /// Selects children up to a priority and a key.
  public func queryEndingAtPriority(_ endPriority: Any?, andChildName childName: String?) -> FQuery {
    with(byPriority().queryEnding(atValue: endPriority, childKey: childName))
  }

  /// Selects children with a priority.
  public func queryEqualToPriority(_ priority: Any?) -> FQuery { with(byPriority().queryEqual(toValue: priority)) }

  /// Selects the child with a priority and a key.
  public func queryEqualToPriority(_ priority: Any?, andChildName childName: String?) -> FQuery {
    with(byPriority().queryEqual(toValue: priority, childKey: childName))
  }

  // MARK: Limits, orders and bounds

  /// Limits the number of children: to the first ones when a starting bound was set before, otherwise to the last ones.
  public func queryLimitedToNumberOfChildren(_ limit: UInt) -> FQuery { with(query.queryLimited(legacy: limit)) }

  /// Limits the query to the first children.
  public func queryLimitedToFirst(_ limit: UInt) -> FQuery { with(query.queryLimited(toFirst: limit)) }

  /// Limits the query to the last children.
  public func queryLimitedToLast(_ limit: UInt) -> FQuery { with(query.queryLimited(toLast: limit)) }

  /// Orders the children by the value of one of their own children.
  public func queryOrderedByChild(_ key: String) -> FQuery {
    with(query.queryOrdered(byChild: key), hasOtherOrder: true)
  }

  /// Orders the children by key.
  public func queryOrderedByKey() -> FQuery { with(query.queryOrderedByKey(), hasOtherOrder: true) }

  /// Orders the children by value.
  public func queryOrderedByValue() -> FQuery { with(query.queryOrderedByValue(), hasOtherOrder: true) }

  /// Orders the children by priority.
  public func queryOrderedByPriority() -> FQuery { with(query.queryOrderedByPriority()) }

  /// Selects children from a value on.
  public func queryStartingAtValue(_ startValue: Any?) -> FQuery { with(query.queryStarting(atValue: startValue)) }

  /// Selects children from a value and a key on.
  public func queryStartingAtValue(_ startValue: Any?, childKey: String?) -> FQuery {
    with(query.queryStarting(atValue: startValue, childKey: childKey))
  }

  /// Selects children up to a value.
  public func queryEndingAtValue(_ endValue: Any?) -> FQuery { with(query.queryEnding(atValue: endValue)) }

  /// Selects children up to a value and a key.
  public func queryEndingAtValue(_ endValue: Any?, childKey: String?) -> FQuery {
    with(query.queryEnding(atValue: endValue, childKey: childKey))
  }

  /// Selects children with a value.
  public func queryEqualToValue(_ value: Any?) -> FQuery { with(query.queryEqual(toValue: value)) }

  /// Selects the child with a value and a key.
  public func queryEqualToValue(_ value: Any?, childKey: String?) -> FQuery {
    with(query.queryEqual(toValue: value, childKey: childKey))
  }
}
