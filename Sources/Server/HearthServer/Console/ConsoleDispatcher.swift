import HearthCrypto
import HearthGateway
import HearthTransport
import NIOCore
import NIOHTTP1

/// A dispatcher of the page's requests to the operations of ``ConsoleOperation/all``, which first checks that the session has the
/// required permission.
struct ConsoleDispatcher: Sendable {
  let context: ConsoleContext

  /// - Parameter name: the path after `/.console/api/`.
  func answer(_ name: String) -> EventLoopFuture<HTTPResponse> {
    let named = ConsoleOperation.all.filter { $0.isFor(name) }
    guard !named.isEmpty else {
      return now { () throws(ConsoleFailure) in
        _ = try context.session(isUse: false)
        throw .notFound
      }
    }
    // A streamed response has no answer to HEAD.
    let asked = context.call.request.method
    let entry = named.first { entry in
      guard let method = entry.method else { return true }
      if case .answer = entry.work { return method == asked }
      return method == (asked == .HEAD ? .GET : asked)
    }
    guard let entry else { return wrongMethod }
    do throws(ConsoleFailure) { try check(entry.requirement) } catch {
      return now { () throws(ConsoleFailure) in throw error }
    }
    switch entry.work {
    case .now(let work): return now { () throws(ConsoleFailure) in try work(context) }
    case .later(let work): return later { () async throws(ConsoleFailure) in try await work(context, name) }
    case .answer(let work): return work(context, name)
    }
  }

  /// Checks the request's session against an operation's requirement. The check does not extend the session.
  private func check(_ requirement: Requirement) throws(ConsoleFailure) {
    switch requirement {
    case .nothing, .ofItsOperations: return
    case .consoleSession: _ = try context.session(isUse: false)
    case .permission(let permission): try context.session(isUse: false).require(permission)
    // Requirements of other interfaces, which the console cannot check.
    case .rules, .apiKey, .emulator, .permissionOrEmulator: throw .readOnly
    }
  }

  private var wrongMethod: EventLoopFuture<HTTPResponse> {
    now { () throws(ConsoleFailure) in throw ConsoleFailure(.methodNotAllowed, "This path does not support the method.")
    }
  }

  private func now(_ work: () throws(ConsoleFailure) -> HTTPResponse) -> EventLoopFuture<HTTPResponse> {
    do throws(ConsoleFailure) {
      return context.loop.eventLoop.makeSucceededFuture(try work())
    } catch {
      return context.loop.eventLoop.makeSucceededFuture(ConsoleResponder.answer(error))
    }
  }

  private func later(
    _ work: @escaping @Sendable () async throws(ConsoleFailure) -> HTTPResponse
  ) -> EventLoopFuture<HTTPResponse> {
    let promise = context.loop.eventLoop.makePromise(of: HTTPResponse.self)
    Task {
      await RequestContext.$id.withValue(context.call.request.id) {
        do throws(ConsoleFailure) {
          promise.succeed(try await work())
        } catch {
          promise.succeed(ConsoleResponder.answer(error))
        }
      }
    }
    return promise.futureResult
  }
}
