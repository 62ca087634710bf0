import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServerTestKit
import Synchronization

@testable import HearthServer
@testable import HearthTransport

/// Nodes that forward requests to each other, without a network between them.
final class RelayNodes: Sendable {
  /// A request as a node's own responder received it.
  struct Answered: Sendable {
    var node: String
    var request: HTTPRequest
  }

  private struct State: Sendable {
    var owners: [String: String] = [:]
    var asked: [String] = []
    var answered: [Answered] = []
    var onAnswer: @Sendable (RelayNodes, String) -> HTTPResponse? = { _, _ in nil }
    var onAsk: @Sendable (RelayNodes, String) throws -> [UInt8]? = { _, _ in nil }
    var response = HTTPResponse(.ok)
  }

  let loop = TransportLoop(eventLoop: MultiThreadedEventLoopGroup.singleton.next(), index: 0, memory: .ofTest())
  let log = LogRecorder()
  private let state = Mutex(State())
  private let proxies: TrustedProxies

  /// Creates the nodes.
  ///
  /// - Parameter proxies: The trusted proxies of every node that is not the owner.
  init(_ proxies: [String] = []) throws { self.proxies = try TrustedProxies(proxies) }

  /// Sets the owner that a node knows.
  func set(_ owner: String?, at node: String) { state.withLock { $0.owners[node] = owner } }

  /// Sets the effect of a relayed request to a node: an answer, nil for that of its relay server, or an error.
  func onAsk(_ body: @escaping @Sendable (RelayNodes, String) throws -> [UInt8]?) { state.withLock { $0.onAsk = body } }

  /// Sets a node's own responder in place of the common one.
  func onAnswer(_ body: @escaping @Sendable (RelayNodes, String) -> HTTPResponse?) {
    state.withLock { $0.onAnswer = body }
  }

  /// Sets the response of every node's own responder.
  func setResponse(_ response: HTTPResponse) { state.withLock { $0.response = response } }

  /// The forwarded requests in order: `a>b`.
  var asked: [String] { state.withLock { $0.asked } }
  var answered: [Answered] { state.withLock { $0.answered } }

  func relay(_ node: String) -> Relay {
    var relay = Relay(
      node: node, owner: { [self] in state.withLock { $0.owners[node] } }, proxies: proxies,
      logger: Logger(label: node) { [log] _ in log })
    relay.retries = (.zero, 1)
    return relay
  }

  func responder(_ node: String) -> RelayResponder {
    RelayResponder(
      relay: relay(node),
      ask: { [self] peer, question in
        let onAsk = state.withLock { state in
          state.asked.append("\(node)>\(peer)")
          return state.onAsk
        }
        do {
          if let answer = try onAsk(self, peer) { return loop.eventLoop.makeSucceededFuture(answer) }
        } catch {
          return loop.eventLoop.makeFailedFuture(error)
        }
        return relayServer(peer).answer(question)
      },
      responder: Own(node: node, nodes: self))
  }

  /// Returns a node's relay server, with the node's own responder behind it as in a server.
  func relayServer(_ node: String) -> RelayServer {
    RelayServer(relay: relay(node), responder: responder(node), nextLoop: { [loop] in loop })
  }

  func send(_ request: HTTPRequest, to node: String) async throws -> HTTPResponse {
    let (loop, responder) = (loop, responder(node))
    return try await loop.eventLoop.flatSubmit { responder.respond(to: request, on: loop) }.get()
  }

  /// A node's own responder, which answers with the names of failures.
  private struct Own: HTTPResponder {
    let node: String
    let nodes: RelayNodes

    func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
      let (onAnswer, common) = nodes.state.withLock { state in
        state.answered.append(Answered(node: node, request: request))
        return (state.onAnswer, state.response)
      }
      let response = onAnswer(nodes, node) ?? common
      if response.status == .imATeapot { return loop.eventLoop.makeFailedFuture(Relay.Failure.notReached) }
      return loop.eventLoop.makeSucceededFuture(response)
    }

    func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse {
      HTTPResponse(failure.explanation.status, body: ByteBuffer(string: "\(node) \(failure) \(request?.id ?? "-")"))
    }

    func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit? {
      HTTPBodyLimit(bytesMax: request.target.utf8.count) { HTTPResponse(.payloadTooLarge) }
    }

    func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller { .refused(HTTPResponse(.gone)) }
  }
}
