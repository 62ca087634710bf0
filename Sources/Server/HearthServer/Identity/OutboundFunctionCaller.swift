import HearthAccounts
import HearthOutbound
import HearthPlugin
import HearthPluginHost
import HearthSystem
import HearthTree

/// A client of blocking functions over libcurl, on threads of its own: a function that hangs does not delay sign-ins
/// with another provider's key set. The allowed addresses are those of triggers' receivers. Clients whose sign-ins wait
/// take turns: ``ConcurrencyLimiter``.
struct OutboundFunctionCaller: FunctionCaller {
  private static let pool = OutboundPool(slots: BlockingFunctionLimits.slots)
  private static let limiter = ConcurrencyLimiter(slots: BlockingFunctionLimits.slots)

  func call(_ url: String, allowsPrivate: Bool, body: [UInt8]) async throws(HookFailure) -> FunctionAnswer {
    let started = Clock.monotonicMilliseconds
    let timeout = Int64(BlockingFunctionLimits.timeoutSeconds) * 1_000
    let client = ShareClaimant.current ?? ShareClaimant(isAdministrator: true)
    // A full queue must not count as an unreachable function, which some settings let pass: a flood of sign-ins could
    // then bypass the function.
    guard await Self.limiter.acquire(client, sizeBytes: body.count, milliseconds: timeout) == .acquired else {
      throw .deadlineExceeded
    }
    defer { Self.limiter.release() }
    let left = max(1, timeout - (Clock.monotonicMilliseconds - started))
    var request = OutboundRequest(
      method: .post, url: url, headers: [OutboundHeader("Content-Type", "application/json")], body: body,
      responseSizeBytesMax: BlockingFunctionLimits.answerBytesMax)
    request.timeoutMilliseconds = left
    do throws(OutboundError) {
      // Redirects are not followed, so only this URL's host is called.
      let policy = try OutboundPolicy.forReceiver(at: url, allowsPrivate: allowsPrivate)
      let answer = try await OutboundClient(policy: policy, pool: Self.pool).send(request)
      return FunctionAnswer(status: answer.status, body: answer.body)
    } catch {
      switch error.code {
      case .timedOut, .cancelled, .busy: throw .deadlineExceeded
      case .tooLarge: throw .badAnswer("The function's answer is longer than 64 KiB.")
      case .forbiddenAddress, .invalidRequest:
        throw .badAnswer("The server does not send requests to the function's address. See allowsPrivate.")
      case .malformedResponse: throw .badAnswer("The function's answer is not HTTP.")
      default: throw .unreachable
      }
    }
  }
}
