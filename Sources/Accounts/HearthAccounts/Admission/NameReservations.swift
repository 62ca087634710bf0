import HearthEngine
import Synchronization

/// The reserved names (uid, address, phone number, identities) of accounts whose creation is being decided. Of two
/// sign-ups with the same name the second waits for the outcome of the first: hooks are not asked about an account that
/// a conflict would prevent.
final class NameReservations: Sendable {
  /// The longest queue for the same name; each waiting request holds memory.
  static let waitersMax = 4
  /// The longest wait in milliseconds: two plugin time-outs of the preceding sign-up.
  static let waitMilliseconds: Int64 = 20_000

  /// A reservation of names, released when it is deinitialised.
  final class Reservation: Sendable {
    /// True when this sign-up had to wait for another one that held one of the names.
    let hasWaited: Bool
    private let names: Set<String>
    private let owner: NameReservations

    fileprivate init(_ names: Set<String>, of owner: NameReservations, hasWaited: Bool) {
      (self.names, self.owner, self.hasWaited) = (names, owner, hasWaited)
    }

    deinit { owner.release(names) }
  }

  private struct Waiter {
    var number: UInt64
    var names: Set<String>
    var continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var reserved: Set<String> = []
    /// The waiting sign-ups, in the order of their arrival.
    var waiters: [Waiter] = []
    var lastNumber: UInt64 = 0

    /// Reserves the names, unless one of them is reserved already.
    mutating func reserve(_ names: Set<String>) -> Bool {
      guard reserved.isDisjoint(with: names) else { return false }
      reserved.formUnion(names)
      return true
    }
  }

  private let state = Mutex(State())
  private let schedule: @Sendable (_ afterMilliseconds: Int64, _ work: @escaping @Sendable () -> Void) -> Void

  /// - Parameter schedule: runs the work once, after the given number of milliseconds.
  init(
    schedule: @escaping @Sendable (_ afterMilliseconds: Int64, _ work: @escaping @Sendable () -> Void) -> Void
  ) {
    self.schedule = schedule
  }

  /// The number of waiting sign-ups.
  var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Reserves the names of an account, once they are all free.
  ///
  /// - Throws: ``AccountError/undecided(_:)`` when the queue is full or the wait times out.
  func reserve(namesOf user: UserRecord) async throws(AccountError) -> Reservation {
    let names = Self.names(of: user)
    if state.withLock({ $0.reserve(names) }) { return Reservation(names, of: self, hasWaited: false) }
    guard await wait(for: names) else {
      throw .undecided("Another sign-up with the same address, number or identity is in progress.")
    }
    return Reservation(names, of: self, hasWaited: true)
  }

  private func wait(for names: Set<String>) async -> Bool {
    await withCheckedContinuation { continuation in
      enum Outcome {
        case reserved
        case waiting(UInt64)
        case full
      }
      let outcome = state.withLock { state -> Outcome in
        if state.reserve(names) { return .reserved }
        guard state.waiters.count(where: { !$0.names.isDisjoint(with: names) }) < Self.waitersMax else { return .full }
        state.lastNumber += 1
        state.waiters.append(Waiter(number: state.lastNumber, names: names, continuation: continuation))
        return .waiting(state.lastNumber)
      }
      switch outcome {
      case .reserved: continuation.resume(returning: true)
      case .full: continuation.resume(returning: false)
      case .waiting(let number): schedule(Self.waitMilliseconds) { [weak self] in self?.giveUp(number) }
      }
    }
  }

  private func giveUp(_ number: UInt64) {
    let waiter = state.withLock { state -> Waiter? in
      guard let index = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
      return state.waiters.remove(at: index)
    }
    waiter?.continuation.resume(returning: false)
  }

  private func release(_ names: Set<String>) {
    let next = state.withLock { state -> [Waiter] in
      state.reserved.subtract(names)
      var next: [Waiter] = []
      for waiter in state.waiters where state.reserve(waiter.names) { next.append(waiter) }
      let numbers = Set(next.map(\.number))
      state.waiters.removeAll { numbers.contains($0.number) }
      return next
    }
    for waiter in next { waiter.continuation.resume(returning: true) }
  }

  /// The names that must be unique to an account with this record.
  private static func names(of user: UserRecord) -> Set<String> {
    var names: Set = ["uid \(user.uid)"]
    if let email = user.email { names.insert("email \(email)") }
    if let number = user.phoneNumber { names.insert("phone \(number)") }
    for identity in user.identities { names.insert("identity \(identity.providerID) \(identity.rawID)") }
    return names
  }
}
