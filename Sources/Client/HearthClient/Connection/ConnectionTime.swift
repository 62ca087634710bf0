/// The clocks at one moment, both in milliseconds.
struct ConnectionTime: Sendable, Equatable {
  /// Never goes back; begins anywhere. All delays are counted on it.
  var monotonic: Int64
  /// Since 1970, as this machine believes. Only the server's offset is counted on it.
  var wall: Int64
}
