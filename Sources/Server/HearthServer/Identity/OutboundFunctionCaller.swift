import HearthAccounts
import HearthOutbound
import HearthPlugin

/// Asks functions over libcurl, on threads of their own: a function that hangs keeps nobody waiting who signs in with
/// another provider's key set. Where functions may be is the same as for the receivers of triggers.
struct OutboundFunctionCaller: FunctionCaller {
  private static let pool = OutboundPool(slots: BlockingFunctionLimits.slots)

  func call(_ url: String, allowsPrivate: Bool, body: [UInt8]) async throws(HookFailure) -> FunctionAnswer {
    let request = OutboundRequest(
      method: .post, url: url, headers: [OutboundHeader("Content-Type", "application/json")], body: body,
      timeoutSeconds: BlockingFunctionLimits.timeoutSeconds,
      responseSizeBytesMax: BlockingFunctionLimits.answerBytesMax)
    do throws(OutboundError) {
      // Redirects are not followed, so nothing but this URL's host is asked.
      let policy = try OutboundPolicy.receiving(at: url, allowsPrivate: allowsPrivate)
      let answer = try await OutboundClient(policy: policy, pool: Self.pool).send(request)
      return FunctionAnswer(status: answer.status, body: answer.body)
    } catch {
      switch error.code {
      // Where too many wait already, a flood of sign-ins must not make a function count as unreachable.
      case .timedOut, .cancelled, .busy: throw .deadlineExceeded
      case .tooLarge: throw .badAnswer("The function's answer is longer than 64 KiB.")
      case .forbiddenAddress, .invalidRequest:
        throw .badAnswer("The function is at an address that the server does not ask: see allowsPrivate.")
      case .malformedResponse: throw .badAnswer("The function's answer is not HTTP.")
      default: throw .unreachable
      }
    }
  }
}
