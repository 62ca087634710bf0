import Dispatch
import Foundation

/// The constant settings of a repository.
struct RepositorySettings: Sendable {
  /// The queue on which the app's blocks are called; a serial one keeps them in order.
  var callbackQueue = DispatchQueue.main
  /// The folder for data on disk; nil to store none.
  var persistenceDirectory: URL?
  /// The app's name, which determines its folder on disk.
  var appName = FirebaseApp.defaultName
  /// The maximum size of the data on disk in bytes.
  var cacheSizeBytes: UInt = 10 << 20
  /// The time that a read waits without a connection, in milliseconds.
  var getTimeoutMilliseconds: Int64 = 3_000
  /// The constants of its connections.
  var connection = ConnectionSettings()
  /// The accepted certificate authorities.
  var trust = TLSTrust.system
}
