import HearthPlugin

/// The resources that a plugin needs; the operator sees them before the plugin is installed.
package struct PluginRequirements: Sendable, Equatable {
  /// The number of processes, which share the requests.
  package var workers = 1
  /// The memory that each process may allocate, in MiB.
  package var memoryMiB = 512
  /// The number of descriptors that each process may have open.
  package var openFiles = 256
  /// The time that the server waits for an answer, in milliseconds.
  package var deadlineMilliseconds = 5_000
  /// The maximum size of an answer, in KiB.
  package var lineKiB = 1_024
  /// The number of concurrent requests to a service.
  package var connections = 8

  /// The maximum number of processes of one plugin.
  static let workersMax = 16
  /// The maximum number of concurrent requests to one service; each holds a thread.
  static let connectionsMax = 64
  /// The maximum deadline: providers and hooks have ten seconds in all.
  static let deadlineMillisecondsMax = 9_500

  /// Reads `wants` of a manifest.
  ///
  /// - Parameter isService: true when the plugin is no program that the server starts.
  init(_ manifest: SettingsReader, isService: Bool) throws(SettingsError) {
    let names =
      ["deadlineMilliseconds", "lineKiB"] + (isService ? ["connections"] : ["workers", "memoryMiB", "openFiles"])
    guard let reader = try manifest.object("wants", names: names) else { return }
    deadlineMilliseconds =
      try reader.int("deadlineMilliseconds", in: 10...Self.deadlineMillisecondsMax) ?? deadlineMilliseconds
    lineKiB = try reader.int("lineKiB", in: 1...PluginSetup.wantedLineBytesMax >> 10) ?? lineKiB
    if isService {
      connections = try reader.int("connections", in: 1...Self.connectionsMax) ?? connections
    } else {
      workers = try reader.int("workers", in: 1...Self.workersMax) ?? workers
      memoryMiB = try reader.int("memoryMiB", in: 16...65_536) ?? memoryMiB
      openFiles = try reader.int("openFiles", in: 16...65_536) ?? openFiles
    }
  }

  /// The needs of a program in words.
  package var processText: String {
    "\(workers) process\(workers == 1 ? "" : "es") with up to \(memoryMiB) MiB of memory and \(openFiles) open files "
      + "each, and \(deadlineMilliseconds) ms for an answer"
  }

  /// The needs of a service in words.
  package var serviceText: String {
    "up to \(connections) requests at a time, and \(deadlineMilliseconds) ms for an answer"
  }
}
