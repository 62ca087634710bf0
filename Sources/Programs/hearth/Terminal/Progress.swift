import Glibc
import HearthProgram

/// The progress of a long operation, on standard error: on a terminal one line that is overwritten, otherwise a line
/// every few seconds.
struct Progress {
  private let label: String
  private let unit: String
  /// The final count; nil when it is unknown.
  private let total: Int?
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let started = WallClock.monotonicNanoseconds
  private var lastShown: Int64 = 0
  private var hasShown = false

  init(_ label: String, unit: String, total: Int? = nil) {
    self.label = label
    self.unit = unit
    self.total = total
  }

  /// Shows the count so far; cheap to call often.
  mutating func show(_ count: Int) {
    let now = WallClock.monotonicNanoseconds
    guard now - lastShown > (isTerminal ? 100_000_000 : 5_000_000_000) else { return }
    // Short operations show nothing.
    guard now - started > 500_000_000 else { return }
    lastShown = now
    hasShown = true
    Output.raw(Array((isTerminal ? "\r\(text(count))\u{1B}[K" : text(count) + "\n").utf8), to: STDERR_FILENO)
  }

  /// Shows the final count.
  mutating func end(_ count: Int) {
    if isTerminal, hasShown { Output.raw(Array("\r\u{1B}[K".utf8), to: STDERR_FILENO) }
    Output.note(text(count))
  }

  private func text(_ count: Int) -> String {
    let seconds = max(0.001, WallClock.seconds(since: started))
    return "\(label): \(bar(count))\(NumberFormat.grouped(Double(count))) \(unit), "
      + "\(NumberFormat.grouped(Double(count) / seconds)) a second"
  }

  /// Returns a bar in the form `[#####               ]  26 % `.
  private func bar(_ count: Int) -> String {
    guard let total, total > 0 else { return "" }
    let part = min(1, max(0, Double(count) / Double(total)))
    let percent = String(Int(part * 100))
    let marks = Int(part * 20)
    return "[" + String(repeating: "#", count: marks) + String(repeating: " ", count: 20 - marks) + "] "
      + String(repeating: " ", count: 3 - percent.count) + percent + " % "
  }
}
