import HearthAccounts
import HearthDatabase
import HearthEngine
import HearthGateway
import HearthSystem
import HearthTree
import Logging
import Synchronization

/// A queue that erases accounts: one order after another, each from its account to the last log. An order that was not
/// finished when the server ended is started again at the next start: each step may be repeated.
final class ErasureQueue: Sendable {
  /// The maximum number of waiting orders, and of remembered outcomes.
  static let ordersMax = 100

  private struct State {
    var progress: [(number: String, progress: ErasureProgress)] = []
    var waiting: [(order: ErasureOrder, client: ClientInfo)] = []
    var task: Task<Void, Never>?
    var isStopped = false
  }

  private let files: ErasureFiles
  private let services: GatewayServices
  private let state = Mutex(State())

  /// - Parameter folder: the folder for unfinished orders. It need not exist.
  init(folder: String, services: GatewayServices) {
    (files, self.services) = (ErasureFiles(folder: folder), services)
  }

  /// Returns a database of an order that does not exist; nil when all do.
  func unknownDatabase(of order: ErasureOrder) -> String? {
    let names = services.databases.names
    return order.places.first { !names.contains($0.database) }?.database
  }

  /// Returns the accounts that contain an order's user; nil when there is no such tenant.
  private func accounts(of order: ErasureOrder) -> Accounts? {
    let own = services.accounts.own
    guard let tenant = order.tenant else { return own }
    return try? own.tenants?.accounts(of: tenant)
  }

  /// Returns the tenant of an order that does not exist; nil when it does.
  func unknownTenant(of order: ErasureOrder) -> String? { accounts(of: order) == nil ? order.tenant : nil }

  /// Takes an order, and stores it unless it is a dry run.
  func take(_ order: ErasureOrder, from client: ClientInfo) throws(AtomicFile.Problem) {
    guard state.withLock({ $0.waiting.count < Self.ordersMax && !$0.isStopped }) else {
      throw AtomicFile.Problem("was refused", cause: "too many erasures are waiting, or the server is stopping")
    }
    if !order.isDryRun { try files.keep(order) }
    begin(order, client)
  }

  /// Continues with unfinished orders of an earlier run.
  func resume() {
    do throws(AtomicFile.Problem) {
      let (orders, unreadable) = try files.waiting()
      for order in orders { begin(order, .commandLine) }
      for name in unreadable {
        services.logger.error("an erasure request cannot be read", metadata: ["file": "\(name)"])
      }
    } catch {
      services.logger.error("erasure requests cannot be read: \(error.cause)")
    }
  }

  /// Returns the progress of an order; nil when it is not remembered.
  func progress(of number: String) -> ErasureProgress? {
    state.withLock { $0.progress.last { $0.number == number }?.progress }
  }

  /// Stops in the middle: the next start continues.
  func stop() async {
    let task = state.withLock { state in
      state.isStopped = true
      return state.task
    }
    await task?.value
  }

  private var isStopped: Bool { state.withLock { $0.isStopped } }

  private func begin(_ order: ErasureOrder, _ client: ClientInfo) {
    state.withLock { state in
      state.waiting.append((order, client))
      state.progress.append((order.number, .waiting))
      if state.progress.count > Self.ordersMax, let first = state.progress.firstIndex(where: \.progress.isEnded) {
        state.progress.remove(at: first)
      }
      guard state.task == nil else { return }
      state.task = Task { await self.work() }
    }
  }

  private func work() async {
    while let (order, client) = next() {
      note(order, .running)
      do {
        let outcome = try await order.isDryRun ? estimate(order) : erase(order, client)
        if !order.isDryRun, !files.remove(order) {
          services.logger.warning("an erasure request cannot be removed and runs again at the next start")
        }
        note(order, .done(outcome))
      } catch HistoryError.cancelled {
        note(order, .waiting)
      } catch {
        services.logger.error(
          "an erasure is incomplete and continues at the next start",
          metadata: ["erasure": "\(order.number)", "error": "\(error)"])
        note(order, .failed("\(error)"))
      }
    }
  }

  private func next() -> (ErasureOrder, ClientInfo)? {
    state.withLock { state in
      guard !state.isStopped, !state.waiting.isEmpty else {
        state.task = nil
        return nil
      }
      return state.waiting.removeFirst()
    }
  }

  private func note(_ order: ErasureOrder, _ progress: ErasureProgress) {
    state.withLock { state in
      for index in state.progress.indices where state.progress[index].number == order.number {
        state.progress[index].progress = progress
      }
    }
  }

  /// Runs the steps in an order in which no new data appears behind a finished step: first the user can no longer sign
  /// in, then the current data is erased, then the past.
  private func erase(_ order: ErasureOrder, _ client: ClientInfo) async throws -> ErasureOutcome {
    // The accounts and the trail of a tenant that was deleted meanwhile are gone with it.
    let erasure = accounts(of: order)?.changes.erasure
    var outcome = ErasureOutcome()
    outcome.hadAccount = try await erasure?.deleteAccount(order.uid, client: client) ?? false
    try await eachDatabase(order) { database, places in
      for place in places { try await self.delete(place, in: database) }
      return try await BlockingThread.run { () throws(HistoryError) in
        try database.erase(uid: order.uid, places: places, isCancelled: { self.isStopped })
      }
    } noted: {
      outcome.add($0)
    }
    outcome.recordCount =
      try await erasure?.eraseTrail(
        of: order.uid, number: order.number, requester: order.requester, client: client) ?? 0
    let project = services.accounts.own.changes.erasure
    try await BlockingThread.run { () throws(HistoryError) in
      try project.eraseLog(of: order.uid, isCancelled: { self.isStopped })
    }
    return outcome
  }

  /// Returns the amounts that would be erased.
  private func estimate(_ order: ErasureOrder) async throws -> ErasureOutcome {
    let erasure = accounts(of: order)?.changes.erasure
    var outcome = ErasureOutcome()
    outcome.hadAccount = erasure?.hasAccount(order.uid) ?? false
    try await eachDatabase(order) { database, places in
      try await BlockingThread.run { () throws(HistoryError) in
        try database.erasable(uid: order.uid, places: places, isCancelled: { self.isStopped })
      }
    } noted: {
      outcome.add($0)
    }
    outcome.recordCount = await BlockingThread.run { erasure?.trailCount(of: order.uid) ?? 0 }
    return outcome
  }

  private func eachDatabase(
    _ order: ErasureOrder, _ body: (_ database: Database, _ places: [Path]) async throws -> ErasureReport,
    noted: (ErasureReport) -> Void
  ) async throws {
    for name in services.databases.names {
      if isStopped { throw HistoryError.cancelled }
      let database: Database
      do {
        database = try await services.databases.database(name, .byMode, on: services.router.anyLoop).get()
      } catch {
        // The database was deleted meanwhile.
        guard services.databases.names.contains(name) else { continue }
        throw ErasureFailure(description: "the database \(name) cannot be opened: \(error)")
      }
      noted(try await body(database, order.places.filter { $0.database == name }.map(\.path)))
    }
  }

  /// Deletes a path with one ordinary write of an administrator, which listeners get. An empty path needs no write.
  private func delete(_ place: Path, in database: Database) async throws {
    let router = services.router
    let action = Command.Action.write(WriteOperation(.put(Location(path: place), WriteValue(.empty))))
    let reply: Reply = await withCheckedContinuation { done in
      router.executeAnywhere { hub in
        hub.request(action, as: .administrator, from: .machine, of: database) { done.resume(returning: $0) }
      }
    }
    if case .failure(let failure) = reply {
      throw ErasureFailure(
        description: "the data at \(place) of \(database.name) could not be deleted: \(failure.message)")
    }
  }
}

/// The reason why an account is not erased yet.
private struct ErasureFailure: Error, CustomStringConvertible {
  let description: String
}
