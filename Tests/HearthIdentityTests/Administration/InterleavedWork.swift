import Dispatch
import HearthPlugin
import HearthTestKit
import Synchronization

@testable import HearthAccounts
@testable import HearthIdentity

/// A hook that runs work once, in the middle of another operation.
final class InterleavedWork: Sendable {
  private let work = Mutex<(@Sendable () async throws -> Void)?>(nil)

  func set(_ work: @escaping @Sendable () async throws -> Void) { self.work.withLock { $0 = work } }

  func run() async throws { try await take()?() }

  /// Runs the work from code that cannot suspend. The work has its own threads.
  func runBlocking() {
    guard let work = take() else { return }
    let isDone = DispatchSemaphore(value: 0)
    Task.detached(executorPreference: AccountsExecutor.shared) {
      try? await work()
      isDone.signal()
    }
    isDone.wait()
  }

  private func take() -> (@Sendable () async throws -> Void)? {
    work.withLock { work in
      defer { work = nil }
      return work
    }
  }
}

/// A provider that runs a hook while it hashes a new password.
struct SlowPassword: SignInProvider {
  let interleaved: InterleavedWork
  let manifest = FakePassword().manifest

  func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    if request.operation == .change { try await interleaved.run() }
    return try await FakePassword().answer(request)
  }
}
