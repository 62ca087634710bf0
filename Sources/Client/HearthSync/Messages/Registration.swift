/// Names one registration; whoever registers chooses it, and uses none twice.
public struct RegistrationID: Sendable, Hashable, Comparable {
  /// The number that was chosen.
  public let number: Int

  /// The registration of that number.
  public init(_ number: Int) { self.number = number }

  public static func < (a: RegistrationID, b: RegistrationID) -> Bool { a.number < b.number }
}

/// Names a write, a transaction, a `get` or an onDisconnect until its outcome is reported; whoever asks chooses it, and
/// uses none twice.
public struct OperationID: Sendable, Hashable {
  /// The number that was chosen.
  public let number: Int

  /// The operation of that number.
  public init(_ number: Int) { self.number = number }
}

/// What a registration wants to be told.
public struct EventTypes: OptionSet, Sendable {
  public let rawValue: UInt8
  /// The set of these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Children that are gone.
  public static let childRemoved = EventTypes(rawValue: 1)
  /// Children that are new.
  public static let childAdded = EventTypes(rawValue: 2)
  /// Children with another place in the order.
  public static let childMoved = EventTypes(rawValue: 4)
  /// Children in which something is different.
  public static let childChanged = EventTypes(rawValue: 8)
  /// The whole, once it is complete, and after each change.
  public static let value = EventTypes(rawValue: 16)

  /// Everything.
  public static let all: EventTypes = [.childRemoved, .childAdded, .childMoved, .childChanged, .value]
}

/// Somebody who is told of events.
public struct Registration: Sendable {
  /// Its name.
  public let id: RegistrationID
  /// What it is told. With none it keeps its query in sync and is told nothing but that it was cancelled.
  public let types: EventTypes

  /// A registration for these events.
  public init(_ id: RegistrationID, types: EventTypes) {
    self.id = id
    self.types = types
  }
}
