/// A counter down to zero, for one event loop.
final class Countdown {
  private var rest: Int
  init(_ count: Int) { rest = count }

  func isLast() -> Bool {
    rest -= 1
    return rest == 0
  }
}
