import HearthDatabase
import HearthEngine
import Synchronization

/// Sends commands to the accounts' database and waits for their replies.
final class CommandClient: Sendable {
  private struct State {
    var lastRequest: Int32 = 0
    var waiting: [Int32: CheckedContinuation<Reply, Never>] = [:]
  }

  /// The connection that receives all answers.
  static let connection = ConnectionID(rawValue: 1)

  /// The maximum number of waiting callers. Each holds a request's memory.
  private static let waitingMax = 65_536

  private let state = Mutex(State())

  /// Executes an action as the administrator; returns when the reply is durable.
  func ask(_ database: Database, _ action: Command.Action) async -> Reply {
    await withCheckedContinuation { continuation in
      guard let request = addWaiting(continuation) else {
        return continuation.resume(returning: .failure(.unavailable))
      }
      database.submit([
        Command(connection: Self.connection, request: request, principal: .administrator, action: action)
      ])
    }
  }

  /// Executes the database's effects.
  func handle(_ effects: [Effect]) {
    for effect in effects {
      guard case .reply(_, let request, let reply) = effect else { continue }
      state.withLock { $0.waiting.removeValue(forKey: request) }?.resume(returning: reply)
    }
  }

  /// Returns a number for the request; nil when too many callers wait.
  private func addWaiting(_ continuation: CheckedContinuation<Reply, Never>) -> Int32? {
    state.withLock { state in
      guard state.waiting.count < Self.waitingMax else { return nil }
      repeat { state.lastRequest &+= 1 } while state.waiting[state.lastRequest] != nil
      state.waiting[state.lastRequest] = continuation
      return state.lastRequest
    }
  }
}

/// The result of a transaction's body, handed from the queue that ran it to the task that waits for it.
final class TransactionBodyResult<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, AccountError>?>(nil)
  private let records = Mutex<[AuditRecord]>([])

  var value: Result<Value, AccountError>? { result.withLock { $0 } }

  /// The audit records of the body.
  var audited: [AuditRecord] { records.withLock { $0 } }

  func note(_ audited: [AuditRecord]) { records.withLock { $0 = audited } }

  func set(_ result: Result<Value, AccountError>) { self.result.withLock { $0 = result } }
}
