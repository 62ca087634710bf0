import Dispatch
import Foundation
import HearthClient

/// The settings of all databases. They must be changed before the first ``Firebase`` is created.
public final class FConfig: NSObject, Sendable {
  struct Values: Sendable {
    var isPersistenceEnabled = false
    var cacheSizeBytes: UInt = 10 << 20
    var callbackQueue = DispatchQueue.main
    /// The folder of sessions and data; nil for the user's own data folder.
    var storageDirectory: URL?
    /// The transport of requests to the account service.
    var transport: any AuthTransport = URLSessionTransport.shared
    /// The closure that is called with each database before it is used.
    var prepare: @Sendable (Database) -> Void = { _ in }
    var isFrozen = false
  }

  static let shared = FConfig()
  private let values = LockedValue(Values())

  /// Returns the settings and makes them final.
  func freeze() -> Values {
    values.withLock {
      $0.isFrozen = true
      return $0
    }
  }

  func set(_ change: (inout Values) -> Void) {
    let isFrozen = values.withLock { values in
      if !values.isFrozen { change(&values) }
      return values.isFrozen
    }
    precondition(!isFrozen, "Firebase's settings must be made before the first Firebase instance is.")
  }

  /// True when data and unsent writes are stored on disk.
  public var persistenceEnabled: Bool {
    get { values.withLock { $0.isPersistenceEnabled } }
    set { set { $0.isPersistenceEnabled = newValue } }
  }

  /// The maximum size of the data on disk in bytes.
  public var persistenceCacheSizeBytes: UInt {
    get { values.withLock { $0.cacheSizeBytes } }
    set { set { $0.cacheSizeBytes = newValue } }
  }

  /// The queue on which blocks are called; the main queue by default.
  public var callbackQueue: DispatchQueue {
    get { values.withLock { $0.callbackQueue } }
    set { set { $0.callbackQueue = newValue } }
  }

  /// The folder of sessions and data; nil for the user's own data folder. An addition to version 2.
  public var storageDirectory: URL? {
    get { values.withLock { $0.storageDirectory } }
    set { set { $0.storageDirectory = newValue } }
  }
}
