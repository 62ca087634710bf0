import HearthPlugin

/// What a plugin wants of the machine; the operator sees it before the plugin is installed.
package struct PluginWants: Sendable, Equatable {
  /// Processes, which share the requests.
  package var workers = 1
  /// Memory of its own that each process may have, in MiB.
  package var memoryMiB = 512
  /// Descriptors that each process may have open.
  package var openFiles = 256
  /// The time that the server waits for an answer, in milliseconds.
  package var deadlineMilliseconds = 5_000
  /// How long an answer may be, in KiB.
  package var lineKiB = 1_024
  /// Of a service: requests at a time.
  package var connections = 8

  /// Processes of one plugin.
  static let workersMax = 16
  /// Requests at a time to one service; each holds a thread.
  static let connectionsMax = 64
  /// Providers and hooks are given ten seconds in all.
  static let deadlineMillisecondsMax = 9_500

  /// - Parameter isService: it is no program that the server starts.
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

  /// The wishes of a program as people read them.
  package var processText: String {
    "\(workers) process\(workers == 1 ? "" : "es") with up to \(memoryMiB) MiB of memory and \(openFiles) open files "
      + "each, and \(deadlineMilliseconds) ms for an answer"
  }

  /// The wishes of a service as people read them.
  package var serviceText: String {
    "up to \(connections) requests at a time, and \(deadlineMilliseconds) ms for an answer"
  }
}
