/// The identifier of one registration, chosen by the caller and never reused.
public struct RegistrationID: Sendable, Hashable, Comparable {
  /// The chosen number.
  public let number: Int

  /// Creates the identifier.
  public init(_ number: Int) { self.number = number }

  public static func < (a: RegistrationID, b: RegistrationID) -> Bool { a.number < b.number }
}

/// The identifier of a write, a transaction, a `get` or an onDisconnect until its outcome is reported, chosen by the
/// caller and never reused.
public struct OperationID: Sendable, Hashable {
  /// The chosen number.
  public let number: Int

  /// Creates the identifier.
  public init(_ number: Int) { self.number = number }
}

/// The event types that a registration receives.
public struct EventTypes: OptionSet, Sendable {
  public let rawValue: UInt8
  /// Creates the set of these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A child was removed.
  public static let childRemoved = EventTypes(rawValue: 1)
  /// A child was added.
  public static let childAdded = EventTypes(rawValue: 2)
  /// A child has a new position in the order.
  public static let childMoved = EventTypes(rawValue: 4)
  /// The data of a child changed.
  public static let childChanged = EventTypes(rawValue: 8)
  /// The whole value, once it is complete, and after each change.
  public static let value = EventTypes(rawValue: 16)

  /// All event types.
  public static let all: EventTypes = [.childRemoved, .childAdded, .childMoved, .childChanged, .value]
}

/// A listener of a query's events.
public struct Registration: Sendable {
  /// The identifier of the registration.
  public let id: RegistrationID
  /// The event types that it receives. With none it keeps its query in sync and is only notified of a cancellation.
  public let types: EventTypes

  /// Creates a registration.
  public init(_ id: RegistrationID, types: EventTypes) {
    self.id = id
    self.types = types
  }
}
