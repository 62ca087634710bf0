import HearthPlugin
import HearthTree

/// The configuration of a running plugin, for any carrier.
struct PluginSetup: Sendable, Equatable {
  var expectation: PluginExpectation
  /// The maximum size of one of its answers, in bytes.
  var lineBytesMax = PluginSetup.lineBytesDefault
  /// The time that a caller waits, in milliseconds.
  var deadlineMilliseconds: Int64 = 5_000
  /// The operator's settings; they may hold secrets.
  var settings: JSON = [:]
  /// The server's name for plugins.
  var server = "hearth"

  /// The maximum size of an answer in bytes, unless the manifest asks for more.
  static let lineBytesDefault = 1 << 20
  /// The maximum size of an answer in bytes that a manifest may ask for.
  static let wantedLineBytesMax = 16 << 20
}
