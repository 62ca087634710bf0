import Dispatch
import HearthCluster
import HearthTree
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// What happens on a node's connections to others. Events come on the links' event loop, in their order: what a node sent
/// comes between its `up` and its `down`.
package enum LinkEvent: Sendable {
  /// There is a connection to this run of a node.
  case up(Incarnation)
  /// There is none any more. What was sent and not answered may not have arrived.
  case down(Incarnation)
  /// A message. Reading stops when too much came for which `done` was not called, on whatever thread.
  case received(DatabaseID, PeerMessage, from: Incarnation, done: @Sendable () -> Void)
}

/// Answers a question of another node. A ``LinkRefusal`` is passed on as one, any other error as
/// ``LinkRefusal/failed``.
package typealias QuestionHandler = @Sendable (_ question: [UInt8], _ peer: Incarnation) -> EventLoopFuture<[UInt8]>

/// A node's connections to the others: one to each, both certificates checked, over which messages of all databases go. Of
/// two nodes the one whose name comes first dials.
///
/// All of them are on one event loop. A connection that ends is made again, by whoever dials; nothing is kept for it
/// meanwhile.
package final class NodeLinks: Sendable {
  private struct Peer {
    var host: String
    var port: Int
    /// Attempts since it was connected.
    var attempts = 0
    /// An attempt is under way, or waits for its time, or has led to a connection.
    var isBusy = false
    /// What the operator was told last.
    var said: LinkProblem?
  }

  private struct State {
    var run: Incarnation?
    var peers: [NodeID: Peer] = [:]
    var links: [NodeID: Link] = [:]
    /// Connections that were begun, greeted or not.
    var channels: [ObjectIdentifier: any Channel] = [:]
    /// Those that came in and have not greeted.
    var strangers: StrangerTable<ObjectIdentifier>
    /// The nodes' addresses, as their names were resolved last.
    var resolved: [NodeID: Set<NetworkPrefix>] = [:]
    /// The addresses that nodes have greeted from.
    var greeted: [NodeID: NetworkPrefix] = [:]

    init(limits: LinkLimits) { strangers = StrangerTable(limits: limits) }

    /// The places of the nodes' addresses follow what is known of them.
    mutating func updateStrangers() {
      strangers.setPeers(
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
  /// The place where its connections are.
  package let loop: any EventLoop
  private let limits: LinkLimits
  private let logger: Logger
  private let tell: @Sendable (LinkEvent) -> Void
  private let answer: QuestionHandler?
  private let state: Mutex<State>
  /// The queue on which names are resolved, which blocks.
  private let resolver = DispatchQueue(label: "hearth.node.names", qos: .utility)

  /// Nothing is connected before ``begin(_:)``.
  ///
  /// - Parameters:
  ///   - cluster: A number that all nodes of the cluster have.
  ///   - answer: Answers what other nodes ask, on `loop`, which it must not hold; nil: they are refused.
  ///   - tell: Gets what happens, on `loop`, which it must not hold.
  package init(
    _ node: NodeID, cluster: UInt64, _ identity: LinkIdentity, on loop: any EventLoop,
    limits: LinkLimits = LinkLimits(),
    logger: Logger, answering answer: QuestionHandler? = nil, tell: @escaping @Sendable (LinkEvent) -> Void
  ) {
    (self.node, self.cluster, self.identity, self.loop) = (node, cluster, identity, loop)
    (self.limits, self.logger, self.answer, self.tell) = (limits, logger, answer, tell)
    state = Mutex(State(limits: limits))
  }

  // MARK: The node

  /// Takes connections.
  ///
  /// - Returns: The port, for one that was 0.
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

  /// Counts a connection that just came in, before its TLS; the one whose place it takes ends.
  ///
  /// - Returns: the run that it is greeted with.
  private func admit(_ channel: any Channel) throws(LinkProblem) -> Incarnation {
    let (key, network) = (ObjectIdentifier(channel), NetworkPrefix(channel.remoteAddress))
    let (run, last) = state.withLock { state -> (Incarnation?, (any Channel)?) in
      guard let run = state.run else { return (nil, nil) }
      return (run, state.strangers.insert(key, from: network).flatMap { state.channels[$0] })
    }
    guard let run else { throw .ended }
    channel.closeFuture.whenComplete { [self] _ in state.withLock { $0.strangers.remove(key) } }
    last?.pipeline.fireUserInboundEventTriggered(LinkProblem.crowded)
    return run
  }

  /// The cluster's nodes, and where they are reached; this one among them or not. Connections to others end.
  package func setPeers(_ addresses: [NodeID: (host: String, port: Int)]) {
    let gone = state.withLock { state in
      for (peer, address) in addresses where peer != node {
        state.peers[peer, default: Peer(host: address.host, port: address.port)].host = address.host
        state.peers[peer]?.port = address.port
      }
      for peer in state.peers.keys where addresses[peer] == nil {
        (state.peers[peer], state.resolved[peer], state.greeted[peer]) = (nil, nil, nil)
      }
      state.updateStrangers()
      return state.links.filter { addresses[$0.key] == nil }.values
    }
    for link in gone { link.end(.unknownNode(link.peer.node)) }
    resolve(addresses)
    dialAll()
  }

  /// Looks up the nodes' addresses, whose connections have places of their own.
  private func resolve(_ addresses: [NodeID: (host: String, port: Int)]) {
    let hosts = addresses.mapValues(\.host)
    resolver.async { [self] in
      let found = hosts.mapValues(NetworkPrefix.all(ofHost:))
      state.withLock { state in
        for (peer, networks) in found where !networks.isEmpty { state.resolved[peer] = networks }
        state.updateStrangers()
      }
    }
  }

  /// A run of this node has begun: its connections greet with it. Those of the one before end.
  package func begin(_ run: Incarnation) {
    setRun(run)
    dialAll()
  }

  /// The run is over: all connections end, and none are taken.
  package func end() {
    setRun(nil)
  }

  /// Ends for good.
  package func close() {
    let listener = state.withLock { state in
      state.isClosed = true
      return state.listener
    }
    listener?.close(promise: nil)
    setRun(nil)
  }

  /// Sets the run and ends the connections of the one before. Both are one step: a connection that is taken for the new run
  /// at the same time goes on.
  private func setRun(_ run: Incarnation?) {
    let channels = state.withLock { state in
      state.run = run
      return Array(state.channels.values)
    }
    for channel in channels { channel.pipeline.fireUserInboundEventTriggered(LinkProblem.ended) }
  }

  /// Sends a message to a node; dropped when there is no connection to it.
  package func send(_ message: PeerMessage, of database: DatabaseID, to peer: NodeID) {
    state.withLock { $0.links[peer] }?.send(.database(database, message))
  }

  /// Asks a node something. Answers come in the order in which they are made.
  ///
  /// - Returns: The answer, or a ``QuestionProblem``, which says whether the outcome is known.
  package func ask(_ peer: NodeID, _ question: [UInt8], timeoutSeconds: Int) -> EventLoopFuture<[UInt8]> {
    guard let link = state.withLock({ $0.links[peer] }) else {
      return loop.makeFailedFuture(QuestionProblem.notConnected)
    }
    return link.ask(question, timeoutSeconds: timeoutSeconds)
  }

  /// The nodes to which there is a connection.
  package var connected: [Incarnation] { state.withLock { $0.links.values.map(\.peer).sorted() } }

  // MARK: Dialling

  private func dialAll() {
    let peers = state.withLock { Array($0.peers.keys) }
    for peer in peers { dial(peer) }
  }

  /// Begins a connection, if this node is the one to do so and there is none.
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
        say(peer, .failed("it cannot be reached: \(error)"))
        redial(peer)
      }
    }
  }

  /// Tries again after a while: longer after each attempt that came to nothing.
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
        received: { [tell] database, message, link, done in
          tell(.received(database, message, from: link.peer, done: done))
        },
        asked: { [loop, answer] question, link in
          answer?(question, link.peer) ?? loop.makeFailedFuture(LinkRefusal.unattended)
        },
        ended: { [self] link, problem in ended(link, wanted, problem) }))
    try channel.pipeline.syncOperations.addHandler(handler)
  }

  /// A connection has greeted: it is taken, or not.
  private func greeted(
    _ hello: Hello, _ names: [String], _ link: Link, as run: Incarnation, wanted: NodeID?
  ) -> LinkProblem? {
    let peer = hello.incarnation.node
    guard names.contains(peer.name) else { return .otherName(peer) }
    if let wanted, wanted != peer { return .otherNode(peer, wanted: wanted) }
    let (problem, before) = state.withLock { state -> (LinkProblem?, Link?) in
      guard state.run == run else { return (.ended, nil) }
      // Who dials is named by the order of names; without this, two connections would take each other's place for ever.
      guard state.peers[peer] != nil, wanted != nil || peer < node else { return (.unknownNode(peer), nil) }
      let before = state.links[peer]
      if let before, before.peer.number > hello.incarnation.number { return (.earlierRun, nil) }
      return (nil, before)
    }
    if let problem { return problem }
    before?.end(.replaced)
    state.withLock { state in
      state.links[peer] = link
      state.peers[peer]?.attempts = 0
      state.peers[peer]?.said = nil
    }
    logger.info("a connection to a node begins", metadata: ["node": "\(hello.incarnation)"])
    tell(.up(hello.incarnation))
    return nil
  }

  /// A node's connection is no stranger's any more, and its address has places of its own from now on.
  private func noteGreeting(of peer: NodeID, from channel: any Channel) {
    let network = NetworkPrefix(channel.remoteAddress)
    state.withLock { state in
      state.strangers.remove(ObjectIdentifier(channel))
      guard state.peers[peer] != nil, state.greeted[peer] != network else { return }
      state.greeted[peer] = network
      state.updateStrangers()
    }
  }

  private func ended(_ link: Link?, _ wanted: NodeID?, _ problem: LinkProblem) {
    guard let link else {
      if let wanted { return say(wanted, problem) }
      // Whoever reaches the port could fill a log with this.
      return logger.debug("a connection was not taken", metadata: ["reason": "\(problem)"])
    }
    let wasIts = state.withLock { state in
      guard state.links[link.peer.node] === link else { return false }
      state.links[link.peer.node] = nil
      return true
    }
    guard wasIts else { return }
    logger.notice("a connection to a node ends", metadata: ["node": "\(link.peer)", "reason": "\(problem)"])
    tell(.down(link.peer))
  }

  /// Tells the operator why a node is not reached, once for each reason.
  private func say(_ peer: NodeID, _ problem: LinkProblem) {
    let isNews = state.withLock { state in
      guard state.peers[peer] != nil, state.peers[peer]?.said != problem else { return false }
      state.peers[peer]?.said = problem
      return true
    }
    if isNews { logger.warning("a node is not reached", metadata: ["node": "\(peer)", "reason": "\(problem)"]) }
  }
}
