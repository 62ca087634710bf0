/// The wall clock of this machine and the server's time derived from it.
final class ServerClock {
  private let clock: () -> Int64
  /// The offset added to the local clock to get the server's time; 0 before the first connection.
  private(set) var offsetMilliseconds: Int64 = 0

  /// - Parameter clock: The wall clock in milliseconds since 1970.
  init(_ clock: @escaping () -> Int64) { self.clock = clock }

  /// The local time.
  var milliseconds: Int64 { clock() }

  /// The server's time, computed with the known offset.
  var serverMilliseconds: Int64 { clock().addingReportingOverflow(offsetMilliseconds).partialValue }

  /// Derives the offset from the server's time.
  func synchronize(serverMilliseconds: Int64) {
    offsetMilliseconds = serverMilliseconds.subtractingReportingOverflow(clock()).partialValue
  }
}
