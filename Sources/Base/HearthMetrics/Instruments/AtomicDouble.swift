import Synchronization

/// A number that many threads change. Whole numbers are exact up to 2^53.
struct AtomicDouble: ~Copyable, Sendable {
  private let bits = Atomic<UInt64>(0)

  var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

  func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

  func add(_ amount: Double) {
    var seen = bits.load(ordering: .relaxed)
    while true {
      let sum = (Double(bitPattern: seen) + amount).bitPattern
      let (isDone, now) = bits.weakCompareExchange(expected: seen, desired: sum, ordering: .relaxed)
      if isDone { return }
      seen = now
    }
  }
}
