import Dispatch
import Foundation

/// What a repository is made with; nothing of it changes later.
struct RepositorySettings: Sendable {
  /// The place where the app's blocks are called: a serial queue, so that they come in order.
  var callbackQueue = DispatchQueue.main
  /// The folder for data on disk; nil keeps none.
  var persistenceDirectory: URL?
  /// The name of the app, which has a folder of its own on disk.
  var appName = FirebaseApp.defaultName
  /// How large the data on disk may get, in bytes.
  var cacheSizeBytes: UInt = 10 << 20
  /// The time that a read waits without a connection, in milliseconds.
  var getPatience: Int64 = 3_000
  /// The constants of its connections.
  var connection = ConnectionSettings()
  /// Whose certificates are accepted.
  var trust = TLSTrust.system
}
