import NIOCore

extension ReceiptStore {
  /// Returns the current receipts.
  func page(_ filter: ReceiptFilter) -> ReceiptPage { state.withLock { page(filter, $0) } }

  /// Returns the matching receipts, once there are any; of a revocation, once they are complete.
  ///
  /// - Parameters:
  ///   - seconds: the maximum wait; then the response has the receipts so far.
  ///   - completion: called once, on `loop`.
  func wait(
    _ filter: ReceiptFilter, seconds: Int, on loop: any EventLoop, completion: @escaping (ReceiptPage) -> Void
  ) {
    let promise = loop.makePromise(of: ReceiptPage.self)
    promise.futureResult.assumeIsolated().whenSuccess(completion)
    let number = state.withLock { state -> UInt64? in
      guard !isAnswered(filter, state), !state.isClosed, state.waiters.count < limits.waitersMax, seconds > 0 else {
        return nil
      }
      state.lastWaiter += 1
      state.waiters[state.lastWaiter] = Waiter(filter: filter) { page in promise.succeed(page) }
      return state.lastWaiter
    }
    guard let number else { return promise.succeed(page(filter)) }
    let timeout = loop.scheduleTask(in: .seconds(Int64(min(seconds, limits.waitSecondsMax)))) {
      let waiter = self.state.withLock { $0.waiters.removeValue(forKey: number) }
      waiter?.completion(self.page(filter))
    }
    promise.futureResult.whenComplete { _ in timeout.cancel() }
  }

  /// Removes the waiters whose filter matches, and returns each with its response.
  func takeWaiters(_ state: inout State, _ matches: (ReceiptFilter) -> Bool) -> [(Waiter, ReceiptPage)] {
    guard !state.waiters.isEmpty else { return [] }
    var taken: [(Waiter, ReceiptPage)] = []
    for (number, waiter) in state.waiters where matches(waiter.filter) {
      state.waiters[number] = nil
      taken.append((waiter, page(waiter.filter, state)))
    }
    return taken
  }

  private func isAnswered(_ filter: ReceiptFilter, _ state: State) -> Bool {
    if let revocation = filter.revocation { return state.processes[revocation] == nil }
    return !state.ring.page(filter).isEmpty
  }

  private func page(_ filter: ReceiptFilter, _ state: State) -> ReceiptPage {
    ReceiptPage(
      lines: state.ring.page(filter).map(\.line), lastID: state.ring.lastID,
      isComplete: filter.revocation.map { state.processes[$0] == nil } ?? true)
  }
}
