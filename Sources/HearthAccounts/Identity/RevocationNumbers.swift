import HearthTree
import Synchronization

/// The numbers of the revocations that one request caused, for who asks to be told: a command that then waits for the
/// receipts.
///
/// They go beside the calls of the request, not through them: what ends tokens is many steps below what answers.
final class RevocationNumbers: Sendable {
  @TaskLocal static var current: RevocationNumbers?

  /// The parameter by which an administrator's request asks; any value does.
  static let parameter = "revocations"

  private let numbers = Mutex<[UInt64]>([])

  func note(_ number: UInt64) { numbers.withLock { $0.append(number) } }

  /// Runs the request, and puts the numbers into its answer: `"revocations": [17]`.
  static func answering(
    _ request: IdentityRequest, _ work: () async throws(AccountError) -> JSON
  ) async throws(AccountError) -> JSON {
    guard case .administrator = request.authority, request.parameter(parameter) != nil else { return try await work() }
    let collected = RevocationNumbers()
    let result = await $current.withValue(collected) { () async -> Result<JSON, AccountError> in
      do throws(AccountError) { return .success(try await work()) } catch { return .failure(error) }
    }
    let answer = try result.get()
    guard case .object(let members) = answer else { return answer }
    let numbers = collected.numbers.withLock { $0 }
    return .object(members + [JSON.Member(parameter, .array(numbers.map { .int(Int64(clamping: $0)) }))])
  }
}
