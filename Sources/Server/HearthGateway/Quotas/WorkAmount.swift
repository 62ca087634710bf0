/// Work that a client causes, in steps of rules: each takes about 35 ns of a processor.
struct WorkAmount: Sendable, Equatable {
  let steps: Int

  /// Steps that the engine counted. No command takes more than two minutes' worth.
  init(steps: Int) { self.steps = min(max(0, steps), 1 << 32) }

  /// Bytes that a client sent: JSON is read at about 100 MB a second.
  init(bytesRead bytes: Int) { self.init(steps: bytes / 4) }

  /// Bytes that a client is sent: JSON is written at about 500 MB a second.
  init(bytesWritten bytes: Int) { self.init(steps: bytes / 16) }

  /// Less than this is not charged: what counting it takes would be a part of it.
  static let chargedStepsMin = 1_000
}
