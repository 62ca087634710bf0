import HearthPlugin
import HearthTree

/// What running a plugin takes, whatever carries its messages.
struct PluginSetup: Sendable, Equatable {
  var expectation: PluginExpectation
  /// Bytes of one of its answers.
  var lineBytesMax = PluginSetup.lineBytesDefault
  /// The time that whoever asks waits.
  var deadlineMilliseconds: Int64 = 5_000
  /// The operator's settings; they may hold secrets.
  var settings: JSON = [:]
  /// The server's name, as plugins are told it.
  var server = "hearth"

  /// Bytes of an answer, unless the manifest wants more.
  static let lineBytesDefault = 1 << 20
  /// Bytes of an answer that a manifest may want.
  static let wantedLineBytesMax = 16 << 20
}
