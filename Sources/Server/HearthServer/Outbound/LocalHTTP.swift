import HearthOutbound
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A client for receivers on this machine, at `http://127.0.0.1` and `http://[::1]`: over plain persistent connections,
/// on one of the server's event loops. All other requests go to another client.
///
/// It exists for large numbers of requests: they hold no thread, and take a fraction of the time of a general-purpose
/// library.
final class LocalHTTP: OutboundHTTP {
  private let loop: any EventLoop
  private let others: any OutboundHTTP
  private let connections: NIOLoopBoundBox<LocalConnections?>

  /// - Parameter others: the client for all other requests.
  init(on loop: any EventLoop, others: any OutboundHTTP) {
    (self.loop, self.others) = (loop, others)
    connections = .makeEmptyBox(eventLoop: loop)
  }

  func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse {
    guard let url = LocalURL(request.url) else { return try await others.send(request) }
    let answer = loop.makePromise(of: OutboundResponse.self)
    let cancelled = CancelledFlag()
    do {
      return try await withTaskCancellationHandler {
        loop.execute { [connections, cancelled] in
          let exchange = LocalExchange(request, to: url, answer)
          cancelled.whenSet(on: connections.eventLoop) { exchange.fail(.cancelled, "the request was cancelled") }
          let own = connections.value ?? LocalConnections()
          connections.value = own
          own.begin(exchange)
        }
        return try await answer.futureResult.get()
      } onCancel: {
        cancelled.set()
      }
    } catch let error as OutboundError {
      throw error
    } catch {
      throw OutboundError(.unreachable, "\(url.host) cannot be reached")
    }
  }
}

/// The destination of a request on this machine.
struct LocalURL: Hashable, Sendable {
  var host: String
  var port: Int
  /// The path with the query.
  var target: String

  /// Parses a URL; nil when its host is another one, or its form is not the plainest.
  init?(_ url: String) {
    for (prefix, host) in [("http://127.0.0.1", "127.0.0.1"), ("http://[::1]", "::1")] where url.hasPrefix(prefix) {
      let rest = url.dropFirst(prefix.count).prefix { $0 != "#" }
      let authority = rest.prefix { $0 != "/" && $0 != "?" }
      let path = rest.dropFirst(authority.count)
      guard authority.isEmpty || authority.hasPrefix(":") && authority.dropFirst().allSatisfy(\.isASCIIDigit),
        let port = authority.isEmpty ? 80 : UInt16(authority.dropFirst())
      else { return nil }
      (self.host, self.port) = (host, Int(port))
      target = path.hasPrefix("/") ? String(path) : "/" + path
      return
    }
    return nil
  }

  /// The authority for the `Host` header.
  var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}

/// A flag that a task was cancelled, with the work for that event.
private final class CancelledFlag: Sendable {
  private let state = Mutex<(isSet: Bool, work: (@Sendable () -> Void)?)>((false, nil))

  func set() {
    let work = state.withLock { state in
      state.isSet = true
      return state.work
    }
    work?()
  }

  /// Runs the work on the loop once the flag is set, which it may be already.
  func whenSet(on loop: any EventLoop, _ work: @escaping () -> Void) {
    let bound = NIOLoopBound(work, eventLoop: loop)
    let onLoop: @Sendable () -> Void = { loop.execute { bound.value() } }
    let isSet = state.withLock { state in
      state.work = onLoop
      return state.isSet
    }
    if isSet { onLoop() }
  }
}
