import Dispatch
import HearthCluster
import HearthTree
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// An event of a node's connections to others. Events come on the links' event loop, in order: messages of a node come
/// between its `up` and its `down`.
package enum LinkEvent: Sendable {
  /// A connection to this incarnation of a node was established.
  case up(Incarnation)
  /// The connection was lost. Unanswered messages may not have arrived.
  case down(Incarnation)
  /// A message arrived. Reading pauses while too many bytes wait for their `done`, which may be called on any thread.
  case received(DatabaseID, PeerMessage, from: Incarnation, done: @Sendable () -> Void)
}

/// The handler of another node's question. A ``LinkRefusal`` is passed on as one, any other error as
/// ``LinkRefusal/failed``.
package typealias QuestionHandler = @Sendable (_ question: [UInt8], _ peer: Incarnation) -> EventLoopFuture<[UInt8]>

/// A node's connections to the others: one to each, with both certificates verified, shared by all databases. Of two
/// nodes, the one whose name sorts first opens the connection.
///
/// All of them are on one event loop. That node also reconnects a lost connection; messages are not kept meanwhile.
package final class NodeLinks: Sendable {
  private struct Peer {
    var host: String
    var port: Int
    /// The attempts since the last connection.
    var attempts = 0
    /// True when an attempt is running or scheduled, or has led to a connection.
    var isBusy = false
    /// The problems reported to the operator since the last connection, and the time of the last report.
    var reportedProblems: [LinkProblem] = []
    var reportedAt = NIODeadline.distantPast
  }

  private struct State {
    var run: Incarnation?
    var peers: [NodeID: Peer] = [:]
    var links: [NodeID: NodeLink] = [:]
    /// All connections, with or without a hello.
    var channels: [ObjectIdentifier: any Channel] = [:]
    /// The accepted connections without a hello.
    var unidentified: UnidentifiedConnections<ObjectIdentifier>
    /// The nodes' addresses, as resolved last from their host names.
    var resolved: [NodeID: Set<NetworkPrefix>] = [:]
    /// The addresses of the nodes' last hellos.
    var greeted: [NodeID: NetworkPrefix] = [:]

    init(limits: LinkLimits) { unidentified = UnidentifiedConnections(limits: limits) }

    /// Passes the known addresses of nodes on to ``unidentified``.
    mutating func updateUnidentified() {
      unidentified.setPeers(
        peers.keys.reduce(into: []) { networks, peer in
          networks.formUnion(resolved[peer] ?? [])
          if let network = greeted[peer] { networks.insert(network) }
        })
    }
    var listener: (any Channel)?
    var isClosed = false
  }

  private let node: NodeID
  private let cluster: UInt64
  private let identity: LinkIdentity
  /// The event loop of the connections.
  package let loop: any EventLoop
  private let limits: LinkLimits
  private let logger: Logger
  private let onEvent: @Sendable (LinkEvent) -> Void
  private let answer: QuestionHandler?
  private let state: Mutex<State>
  /// The queue on which names are resolved, which blocks.
  private let resolver = DispatchQueue(label: "hearth.node.names", qos: .utility)

  /// Creates the connections of a node; none is made before ``begin(_:)``.
  ///
  /// - Parameters:
  /// - cluster: The number of the cluster.
  /// - answer: Answers other nodes' questions, on `loop`, without blocking it; nil refuses them.
  /// - onEvent: Receives events, on `loop`, without blocking it.
  package init(
    _ node: NodeID, cluster: UInt64, _ identity: LinkIdentity, on loop: any EventLoop,
    limits: LinkLimits = LinkLimits(),
    logger: Logger, answering answer: QuestionHandler? = nil, onEvent: @escaping @Sendable (LinkEvent) -> Void
  ) {
    (self.node, self.cluster, self.identity, self.loop) = (node, cluster, identity, loop)
    (self.limits, self.logger, self.answer, self.onEvent) = (limits, logger, answer, onEvent)
    state = Mutex(State(limits: limits))
  }

  // MARK: The node

  /// Listens for connections.
  ///
  /// - Returns: The port, which the system chose when it was 0.
  package func listen(host: String, port: Int) async throws -> Int {
    let channel = try await ServerBootstrap(group: loop)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { [self] channel in
        channel.eventLoop.makeCompletedFuture {
          let run = try admit(channel)
          try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: identity.server))
          try add(run, wanted: nil, to: channel)
        }
      }
      .bind(host: host, port: port).get()
    let isClosed = state.withLock { state in
      state.listener = channel
      return state.isClosed
    }
    if isClosed { channel.close(promise: nil) }
    return channel.localAddress?.port ?? port
  }

  /// Counts an accepted connection before its TLS handshake, and closes the connection that it replaces.
  ///
  /// - Returns: The incarnation for its hello.
  private func admit(_ channel: any Channel) throws(LinkProblem) -> Incarnation {
    let (key, network) = (ObjectIdentifier(channel), NetworkPrefix(channel.remoteAddress))
    let (run, last) = state.withLock { state -> (Incarnation?, (any Channel)?) in
      guard let run = state.run else { return (nil, nil) }
      return (run, state.unidentified.insert(key, from: network).flatMap { state.channels[$0] })
    }
    guard let run else { throw .ended }
    channel.closeFuture.whenComplete { [self] _ in state.withLock { $0.unidentified.remove(key) } }
    last?.pipeline.fireUserInboundEventTriggered(LinkProblem.crowded)
    return run
  }

  /// Sets the cluster's nodes and their addresses, with or without this node. Connections to other nodes end.
  package func setPeers(_ addresses: [NodeID: (host: String, port: Int)]) {
    let gone = state.withLock { state in
      for (peer, address) in addresses where peer != node {
        state.peers[peer, default: Peer(host: address.host, port: address.port)].host = address.host
        state.peers[peer]?.port = address.port
      }
      for peer in state.peers.keys where addresses[peer] == nil {
        (state.peers[peer], state.resolved[peer], state.greeted[peer]) = (nil, nil, nil)
      }
      state.updateUnidentified()
      return state.links.filter { addresses[$0.key] == nil }.values
    }
    for link in gone { link.end(.unknownNode(link.peer.node)) }
    resolve(addresses)
    dialAll()
  }

  /// Resolves the nodes' host names, because connections from their addresses have their own limits.
  private func resolve(_ addresses: [NodeID: (host: String, port: Int)]) {
    let hosts = addresses.mapValues(\.host)
    resolver.async { [self] in
      let found = hosts.mapValues(NetworkPrefix.all(ofHost:))
      state.withLock { state in
        for (peer, networks) in found where !networks.isEmpty { state.resolved[peer] = networks }
        state.updateUnidentified()
      }
    }
  }

  /// Begins an incarnation: connections use it in their hello, and those of the previous one end.
  package func begin(_ run: Incarnation) {
    setIncarnation(run)
    dialAll()
  }

  /// Ends the incarnation: all connections end, and none are accepted.
  package func end() {
    setIncarnation(nil)
  }

  /// Closes the links for good.
  package func close() {
    let listener = state.withLock { state in
      state.isClosed = true
      return state.listener
    }
    listener?.close(promise: nil)
    setIncarnation(nil)
  }

  /// Sets the incarnation and ends the connections of the previous one in a single step, so that a connection accepted
  /// for the new one at the same time stays.
  private func setIncarnation(_ run: Incarnation?) {
    let channels = state.withLock { state in
      state.run = run
      return Array(state.channels.values)
    }
    for channel in channels { channel.pipeline.fireUserInboundEventTriggered(LinkProblem.ended) }
  }

  /// Sends a message to a node; dropped when there is no connection.
  package func send(_ message: PeerMessage, of database: DatabaseID, to peer: NodeID) {
    state.withLock { $0.links[peer] }?.send(.database(database, message))
  }

  /// Asks a node a question. Answers to several questions may arrive in any order.
  ///
  /// - Returns: The answer, or a ``QuestionProblem``, which tells whether the question may have had its effect.
  package func ask(_ peer: NodeID, _ question: [UInt8], timeoutSeconds: Int) -> EventLoopFuture<[UInt8]> {
    guard let link = state.withLock({ $0.links[peer] }) else {
      return loop.makeFailedFuture(QuestionProblem.notConnected)
    }
    return link.ask(question, timeoutSeconds: timeoutSeconds)
  }

  /// The connected incarnations of other nodes.
  package var connected: [Incarnation] { state.withLock { $0.links.values.map(\.peer).sorted() } }

  // MARK: Dialling

  private func dialAll() {
    let peers = state.withLock { Array($0.peers.keys) }
    for peer in peers { dial(peer) }
  }

  /// Dials a node, if this node is the one to do so and there is no connection.
  private func dial(_ peer: NodeID) {
    let found = state.withLock { state -> (run: Incarnation, host: String, port: Int)? in
      guard let run = state.run, !state.isClosed, node < peer, let known = state.peers[peer], !known.isBusy else {
        return nil
      }
      state.peers[peer]?.isBusy = true
      return (run, known.host, known.port)
    }
    guard let (run, host, port) = found else { return }
    let connecting = ClientBootstrap(group: loop)
      .connectTimeout(.seconds(Int64(LinkLimits.connectSeconds)))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { [self] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            NIOSSLClientHandler(context: identity.client, serverHostname: nil))
          try add(run, wanted: peer, to: channel)
        }
      }
      .connect(host: host, port: port)
    connecting.whenComplete { [self] result in
      switch result {
      case .success(let channel): channel.closeFuture.whenComplete { [self] _ in redial(peer) }
      case .failure(let error):
        report(peer, .failed("the node is unreachable: \(NetworkProblem(error))"))
        redial(peer)
      }
    }
  }

  /// Schedules another attempt, after a delay that grows with each failure.
  private func redial(_ peer: NodeID) {
    let attempts = state.withLock { state in
      defer { state.peers[peer]?.attempts += 1 }
      return state.peers[peer]?.attempts ?? 0
    }
    let pause = min(LinkLimits.redialMillisecondsMin << min(attempts, 10), LinkLimits.redialMillisecondsMax)
    loop.scheduleTask(in: .milliseconds(Int64(pause))) { [self] in
      state.withLock { $0.peers[peer]?.isBusy = false }
      dial(peer)
    }
  }

  // MARK: Connections

  private func add(_ run: Incarnation, wanted: NodeID?, to channel: any Channel) throws {
    let key = ObjectIdentifier(channel)
    state.withLock { $0.channels[key] = channel }
    channel.closeFuture.whenComplete { [self] _ in state.withLock { $0.channels[key] = nil } }
    let handler = LinkHandler(
      Hello(cluster: cluster, incarnation: run), limits: limits,
      LinkHandler.Delegate(
        greeted: { [self] hello, names, link in
          let problem = greeted(hello, names, link, as: run, wanted: wanted)
          if problem == nil { noteGreeting(of: hello.incarnation.node, from: channel) }
          return problem
        },
        received: { [onEvent] database, message, link, done in
          onEvent(.received(database, message, from: link.peer, done: done))
        },
        asked: { [loop, answer] question, link in
          answer?(question, link.peer) ?? loop.makeFailedFuture(LinkRefusal.noHandler)
        },
        ended: { [self] link, problem in ended(link, wanted, problem) }))
    try channel.pipeline.syncOperations.addHandler(handler)
  }

  /// Accepts or refuses a connection after its hello.
  private func greeted(
    _ hello: Hello, _ names: [String], _ link: NodeLink, as run: Incarnation, wanted: NodeID?
  ) -> LinkProblem? {
    let peer = hello.incarnation.node
    guard names.contains(peer.name) else { return .otherName(peer) }
    if let wanted, wanted != peer { return .otherNode(peer, wanted: wanted) }
    let (problem, before) = state.withLock { state -> (LinkProblem?, NodeLink?) in
      guard state.run == run else { return (.ended, nil) }
      // The order of names decides which node opens the connection; otherwise two connections could replace each other
      // for ever.
      guard state.peers[peer] != nil, wanted != nil || peer < node else { return (.unknownNode(peer), nil) }
      let before = state.links[peer]
      if let before, before.peer.number > hello.incarnation.number { return (.earlierIncarnation, nil) }
      return (nil, before)
    }
    if let problem { return problem }
    before?.end(.replaced)
    state.withLock { state in
      state.links[peer] = link
      state.peers[peer]?.attempts = 0
      state.peers[peer]?.reportedProblems = []
    }
    logger.info("connected to a node", metadata: ["node": "\(hello.incarnation)"])
    onEvent(.up(hello.incarnation))
    return nil
  }

  /// Removes a connection of a node from ``State/unidentified``, and gives its address the limits of a node from now
  /// on.
  private func noteGreeting(of peer: NodeID, from channel: any Channel) {
    let network = NetworkPrefix(channel.remoteAddress)
    state.withLock { state in
      state.unidentified.remove(ObjectIdentifier(channel))
      guard state.peers[peer] != nil, state.greeted[peer] != network else { return }
      state.greeted[peer] = network
      state.updateUnidentified()
    }
  }

  private func ended(_ link: NodeLink?, _ wanted: NodeID?, _ problem: LinkProblem) {
    guard let link else {
      if let wanted { return report(wanted, problem) }
      // Logged for debugging only: any host that reaches the port could otherwise fill the log.
      return logger.debug("a node's connection was refused", metadata: ["reason": "\(problem)"])
    }
    let wasCurrent = state.withLock { state in
      guard state.links[link.peer.node] === link else { return false }
      state.links[link.peer.node] = nil
      return true
    }
    guard wasCurrent else { return }
    logger.notice("a node's connection ended", metadata: ["node": "\(link.peer)", "reason": "\(problem)"])
    onEvent(.down(link.peer))
  }

  /// Reports an unreachable node to the operator: each reason once, then the current one from time to time.
  private func report(_ peer: NodeID, _ problem: LinkProblem) {
    let now = NIODeadline.now()
    let isNews = state.withLock { state in
      guard let known = state.peers[peer] else { return false }
      let isRepeated = known.reportedProblems.contains(problem)
      guard !isRepeated || now - known.reportedAt >= .seconds(LinkLimits.reportSeconds) else { return false }
      if !isRepeated { state.peers[peer]?.reportedProblems.append(problem) }
      state.peers[peer]?.reportedAt = now
      return true
    }
    if isNews { logger.warning("a node is unreachable", metadata: ["node": "\(peer)", "reason": "\(problem)"]) }
  }
}
