import HearthPlugin
import HearthTree
import Synchronization
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

/// A caller of functions with answers from the test, which records the requests.
final class FakeFunctions: FunctionCaller {
  typealias Answer = @Sendable (_ event: String) throws -> FunctionAnswer

  private struct State {
    var answer: Answer = { _ in FunctionAnswer(status: 200, body: Array("{}".utf8)) }
    var asked: [(url: String, allowsPrivate: Bool, token: UnverifiedToken)] = []
  }

  private let state = Mutex(State())

  var asked: [(url: String, allowsPrivate: Bool, token: UnverifiedToken)] { state.withLock { $0.asked } }
  /// The `event_type` of each request so far.
  var events: [String] { asked.compactMap { $0.token.payload["event_type"]?.string } }

  func answers(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

  /// Sets the answer to a text with status 200.
  func answers(_ text: String) { answers { _ in FunctionAnswer(status: 200, body: Array(text.utf8)) } }

  func forget() { state.withLock { $0.asked = [] } }

  func call(_ url: String, allowsPrivate: Bool, body: [UInt8]) async throws(HookFailure) -> FunctionAnswer {
    guard let json = JSON(parsing: body), json.members?.map(\.name) == ["data"],
      json["data"]?.members?.map(\.name) == ["jwt"], let text = json["data"]?["jwt"]?.string,
      let token = try? TokenReader.read(text)
    else {
      Issue.record("not a request of a blocking function")
      throw .unreachable
    }
    let answer = state.withLock { state in
      state.asked.append((url, allowsPrivate, token))
      return state.answer
    }
    do {
      return try answer(token.payload["event_type"]?.string ?? "")
    } catch let failure as HookFailure {
      throw failure
    } catch {
      throw .unreachable
    }
  }
}
