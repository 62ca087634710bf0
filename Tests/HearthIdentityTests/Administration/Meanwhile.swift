import Dispatch
import HearthPlugin
import HearthTestKit
import Synchronization

@testable import HearthAccounts
@testable import HearthIdentity

/// Something that happens, once, in the middle of something else.
final class Meanwhile: Sendable {
  private let work = Mutex<(@Sendable () async throws -> Void)?>(nil)

  func set(_ work: @escaping @Sendable () async throws -> Void) { self.work.withLock { $0 = work } }

  func happen() async throws { try await take()?() }

  /// For places that cannot wait otherwise. The work has threads of its own.
  func happenBlocking() {
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

/// Takes its time over a new password.
struct SlowPassword: SignInProvider {
  let meanwhile: Meanwhile
  let manifest = FakePassword().manifest

  func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    if request.operation == .change { try await meanwhile.happen() }
    return try await FakePassword().answer(request)
  }
}
