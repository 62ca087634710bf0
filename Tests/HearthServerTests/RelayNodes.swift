import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServerTestKit
import Synchronization

@testable import HearthServer
@testable import HearthTransport

/// Nodes that hand requests to each other, without a network between them.
final class RelayNodes: Sendable {
  /// A request as some node's own responder got it.
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

  /// - Parameter proxies: Those of every node that is no owner.
  init(_ proxies: [String] = []) throws { self.proxies = try TrustedProxies(proxies) }

  /// Who answers, as a node knows it.
  func set(_ owner: String?, at node: String) { state.withLock { $0.owners[node] = owner } }

  /// What happens when a node is asked: an answer of its own, nil for that of its desk, or an error.
  func onAsk(_ body: @escaping @Sendable (RelayNodes, String) throws -> [UInt8]?) { state.withLock { $0.onAsk = body } }

  /// What a node's own responder says in place of that which every one does.
  func onAnswer(_ body: @escaping @Sendable (RelayNodes, String) -> HTTPResponse?) {
    state.withLock { $0.onAnswer = body }
  }

  /// What every node's own responder says.
  func setResponse(_ response: HTTPResponse) { state.withLock { $0.response = response } }

  /// Who was asked by whom, in order: `a>b`.
  var asked: [String] { state.withLock { $0.asked } }
  var answered: [Answered] { state.withLock { $0.answered } }

  func relay(_ node: String) -> Relay {
    var relay = Relay(
      node: node, owner: { [self] in state.withLock { $0.owners[node] } }, proxies: proxies,
      logger: Logger(label: node) { [log] _ in log })
    relay.patience = (.zero, 1)
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
        return desk(peer).answer(question)
      },
      responder: Own(node: node, nodes: self))
  }

  /// It has the whole of a node's responders behind it, as a server's is.
  func desk(_ node: String) -> RelayServer {
    RelayServer(relay: relay(node), responder: responder(node), nextLoop: { [loop] in loop })
  }

  func send(_ request: HTTPRequest, to node: String) async throws -> HTTPResponse {
    let (loop, responder) = (loop, responder(node))
    return try await loop.eventLoop.flatSubmit { responder.respond(to: request, on: loop) }.get()
  }

  /// A node's own responder, which says failures by their names.
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
