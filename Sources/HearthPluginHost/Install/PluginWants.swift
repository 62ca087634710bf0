import HearthPlugin

/// What a plugin wants of the machine; the operator sees it before the plugin is installed.
package struct PluginWants: Sendable, Equatable {
  /// Processes, which share the requests.
  package var workers = 1
  /// Memory of its own that each process may have, in MiB.
  package var memoryMiB = 512
  /// Descriptors that each process may have open.
  package var openFiles = 256
  /// How long the server waits for an answer, in milliseconds.
  package var deadlineMilliseconds = 5_000
  /// How long a line of its answers may be, in KiB.
  package var lineKiB = 1_024

  /// Processes of one plugin.
  static let workersMax = 16
  /// Providers and hooks are given ten seconds in all.
  static let deadlineMillisecondsMax = 9_500

  init(_ manifest: SettingsReader) throws(SettingsError) {
    let names = ["workers", "memoryMiB", "openFiles", "deadlineMilliseconds", "lineKiB"]
    guard let reader = try manifest.object("wants", names: names) else { return }
    workers = try reader.int("workers", in: 1...Self.workersMax) ?? workers
    memoryMiB = try reader.int("memoryMiB", in: 16...65_536) ?? memoryMiB
    openFiles = try reader.int("openFiles", in: 16...65_536) ?? openFiles
    deadlineMilliseconds =
      try reader.int("deadlineMilliseconds", in: 10...Self.deadlineMillisecondsMax) ?? deadlineMilliseconds
    lineKiB = try reader.int("lineKiB", in: 1...PluginSetup.wantedLineBytesMax >> 10) ?? lineKiB
  }

  /// The wishes as people read them.
  package var text: String {
    "\(workers) process\(workers == 1 ? "" : "es") with up to \(memoryMiB) MiB of memory and \(openFiles) open files "
      + "each, and \(deadlineMilliseconds) ms for an answer"
  }
}
