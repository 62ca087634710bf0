/// The readings of two clocks at one time, in milliseconds.
struct ConnectionTime: Sendable, Equatable {
  /// The monotonic clock, with an arbitrary start. All delays use it.
  var monotonic: Int64
  /// The wall clock since 1970. Only the server's offset is computed from it.
  var wall: Int64
}
