import HearthPlugin
import HearthTree

/// Everything that is needed to run a plugin.
struct PluginSetup: Sendable, Equatable {
  var expectation: PluginExpectation
  var plan: ProcessPlan
  var workerCount = 1
  /// Bytes of a line of its answers.
  var lineBytesMax = PluginSetup.lineBytesDefault
  /// How long whoever asks waits.
  var deadlineMilliseconds: Int64 = 5_000
  /// The operator's settings; they may hold secrets.
  var settings: JSON = .object([])
  /// The server's name, as plugins are told it.
  var server = "hearth"

  /// Bytes of a line, unless the manifest wants more.
  static let lineBytesDefault = 1 << 20
  /// Bytes of a line that a manifest may want.
  static let wantedLineBytesMax = 16 << 20
}
