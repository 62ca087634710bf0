/// How a plugin's process is started: what it is, and all that it gets of this machine.
struct ProcessPlan: Sendable, Equatable {
  /// A user that a process runs as, without any further group.
  struct User: Sendable, Equatable {
    var id: UInt32
    var groupID: UInt32
  }

  /// A whole path.
  var program: String
  /// Without the program's name.
  var arguments: [String]
  var environment: [String: String]
  /// The place where it runs.
  var directory: String
  /// Nil is the server's own.
  var user: User?
  /// Bytes of memory that it may have of its own.
  var dataBytesMax: UInt64
  /// Bytes of a file that it may write.
  var fileBytesMax: UInt64 = 1 << 30
  var openFilesMax: UInt64 = 256
  /// Processes and threads of its user; 0, the server's own bound, where it has no user of its own.
  var processesMax: UInt64 = 0
}
