/// The plan for a plugin's process: its command and its resources.
struct ProcessPlan: Sendable, Equatable {
  /// A user that a process runs as, without supplementary groups.
  struct User: Sendable, Equatable {
    var id: UInt32
    var groupID: UInt32
  }

  /// The absolute path of the program.
  var program: String
  /// The arguments without the program's name.
  var arguments: [String]
  var environment: [String: String]
  /// The working directory.
  var directory: String
  /// The user that the process runs as; nil for the server's own.
  var user: User?
  /// The maximum size of its own memory, in bytes.
  var dataBytesMax: UInt64
  /// The maximum size of a file that it writes, in bytes.
  var fileBytesMax: UInt64 = 1 << 30
  var openFilesMax: UInt64 = 256
  /// The maximum number of processes and threads of its user; 0 keeps the server's limit for a process without a user
  /// of its own.
  var processesMax: UInt64 = 0
}
