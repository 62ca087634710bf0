/// An amount of work that a client causes, in steps of rules: each takes about 35 ns of a processor.
struct WorkAmount: Sendable, Equatable {
  let steps: Int

  /// Creates the work of steps that the engine counted. No command takes more than two minutes' worth.
  init(steps: Int) { self.steps = min(max(0, steps), 1 << 32) }

  /// Creates the work of reading bytes that a client sent: JSON is read at about 100 MB a second.
  init(bytesRead bytes: Int) { self.init(steps: bytes / 4) }

  /// Creates the work of writing bytes for a client: JSON is written at about 500 MB a second.
  init(bytesWritten bytes: Int) { self.init(steps: bytes / 16) }

  /// The minimum amount that is charged: counting a smaller amount would cost a considerable part of the work itself.
  static let chargedStepsMin = 1_000
}
