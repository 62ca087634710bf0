import CLinux
import Glibc
import HearthProgram

/// A load of one publisher and many subscribers of a server; a message is complete when all subscribers have it.
///
/// The same client serves every server and does as little as possible (readiness, one read, counting), so that the
/// server is the bottleneck. It runs on one thread and shares nothing.
final class FanoutLoad {
  /// Milliseconds of silence after which no more set-up messages, or answers to a single message, are expected.
  private static let quietMilliseconds: Int32 = 200
  /// Seconds at the beginning of the load that do not count.
  private static let warmUpSeconds = 0.3
  /// Milliseconds after which a message counts as lost.
  private static let lossMilliseconds: Int32 = 10_000
  private static let chunkBytes = 1 << 16
  private static let eventCount = 512

  private let peer: FanoutPeer
  private let payloadBytes: Int
  private let publisher: FanoutSocket
  private let subscribers: [FanoutSocket]
  private let poll: Int32
  private var events = [epoll_event](repeating: epoll_event(), count: FanoutLoad.eventCount)
  private var chunk = [UInt8](repeating: 0, count: FanoutLoad.chunkBytes)

  /// The bytes of one delivery.
  private var deliveryBytes = Int.max
  /// The state of each subscriber: the received bytes of an incomplete delivery, whether the last byte ended a line,
  /// and the number of its deliveries.
  private var rest: [Int]
  private var isAtLineEnd: [Bool]
  private var received: [Int]
  /// The number of messages in all runs.
  private var published = 0
  /// The messages of this run: the send time of each, and the number of subscribers without it.
  private var sentTimes: [Int64] = []
  private var missing: [Int] = []
  private var isRunning = false
  private var deliveries = 0
  private var latencies = LatencyRecorder()

  /// Connects and subscribes all clients, one after the other.
  init(_ peer: FanoutPeer, connections: Int, payloadBytes: Int) throws {
    self.peer = peer
    self.payloadBytes = payloadBytes
    publisher = try FanoutSocket(host: peer.host, port: peer.port)
    try publisher.perform(peer.prepare())
    subscribers = try (0..<connections).map { index in
      let socket = try FanoutSocket(host: peer.host, port: peer.port)
      try socket.perform(peer.subscribe(index))
      return socket
    }
    rest = Array(repeating: 0, count: connections)
    received = rest
    isAtLineEnd = Array(repeating: false, count: connections)
    poll = epoll_create1(Int32(EPOLL_CLOEXEC))
    for (index, socket) in (subscribers + [publisher]).enumerated() {
      var event = epoll_event()
      event.events = EPOLLIN.rawValue
      event.data.u32 = UInt32(index)  // The publisher's index is one more than the last subscriber's.
      guard epoll_ctl(poll, EPOLL_CTL_ADD, socket.file, &event) == 0 else {
        throw FanoutFailure("cannot wait for \(connections) sockets: \(String(cString: strerror(errno)))")
      }
    }
    try learnLength()
  }

  deinit { if poll >= 0 { close(poll) } }

  /// Keeps a number of messages in flight for a time, then waits until all have arrived.
  func run(inFlight: Int, seconds: Double) throws -> FanoutFigures {
    (deliveries, latencies, isRunning) = (0, LatencyRecorder(), true)
    for _ in 0..<inFlight { try publish() }
    try pump(seconds: Self.warmUpSeconds)
    (deliveries, latencies) = (0, LatencyRecorder())
    let load = ServerLoad(process: peer.process)
    try pump(seconds: seconds)
    let figures = FanoutFigures(
      deliveries: deliveries, seconds: load.seconds, processorSeconds: load.processorSeconds,
      latency: latencies.summary, residentBytes: load.residentBytes)
    isRunning = false
    while missing.contains(where: { $0 > 0 }) {
      guard try wait(milliseconds: Self.lossMilliseconds) else {
        throw FanoutFailure("\(peer.name) lost \(missing.reduce(0, +)) deliveries")
      }
    }
    (sentTimes, missing) = ([], [])
    for index in received.indices { received[index] = 0 }
    return figures
  }

  /// Sends one message while there is no other traffic; the number of bytes that each subscriber receives is the length
  /// of every delivery.
  private func learnLength() throws {
    while try wait(milliseconds: Self.quietMilliseconds) {}
    for index in rest.indices { rest[index] = 0 }
    published = 1
    try publisher.send(peer.publish(published, payloadBytes))
    while rest.contains(where: { $0 < payloadBytes }) {
      guard try wait(milliseconds: Self.lossMilliseconds) else { break }
    }
    while try wait(milliseconds: Self.quietMilliseconds) {}
    // Some subscribers may have received a keep-alive of the server as well.
    deliveryBytes = rest.min() ?? 0
    guard deliveryBytes >= payloadBytes else { throw FanoutFailure("\(peer.name) delivered nothing to a subscriber") }
    for index in rest.indices { rest[index] = 0 }
  }

  private func publish() throws {
    sentTimes.append(WallClock.monotonicNanoseconds)
    missing.append(subscribers.count)
    published += 1
    try publisher.send(peer.publish(published, payloadBytes))
  }

  private func pump(seconds: Double) throws {
    let started = WallClock.monotonicNanoseconds
    while case let left = seconds - WallClock.seconds(since: started), left > 0 {
      _ = try wait(milliseconds: Int32(left * 1_000) + 1)
    }
  }

  /// Reads available data.
  ///
  /// - Returns: False when none arrived in that time.
  private func wait(milliseconds: Int32) throws -> Bool {
    let count = epoll_wait(poll, &events, Int32(events.count), milliseconds)
    guard count > 0 else {
      guard count == 0 || errno == EINTR else { throw FanoutFailure("epoll: \(String(cString: strerror(errno)))") }
      return count < 0
    }
    for index in 0..<Int(count) { try read(Int(events[index].data.u32)) }
    return true
  }

  private func read(_ index: Int) throws {
    let file = index < subscribers.count ? subscribers[index].file : publisher.file
    let count = recv(file, &chunk, chunk.count, Int32(MSG_DONTWAIT))
    guard count > 0 else {
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      throw FanoutFailure("\(peer.name) closed \(index < subscribers.count ? "a subscriber" : "the publisher")")
    }
    guard index < subscribers.count else { return }
    rest[index] += count
    if peer.endsWithEmptyLine { return try readLines(index, count) }
    while rest[index] >= deliveryBytes {
      rest[index] -= deliveryBytes
      try delivered(to: index)
    }
  }

  /// Counts deliveries by empty lines: two line feeds in a row occur only at the end of an event, because lines of the
  /// head end in CRLF.
  private func readLines(_ index: Int, _ count: Int) throws {
    var place = 0
    while let end = chunk[place..<count].firstIndex(of: 0x0A) {
      let isEmptyLine = end == 0 ? isAtLineEnd[index] : chunk[end - 1] == 0x0A
      if isEmptyLine, deliveryBytes < .max { try delivered(to: index) }
      place = end + 1
    }
    isAtLineEnd[index] = chunk[count - 1] == 0x0A
  }

  /// Records a delivery; messages reach each subscriber in order.
  private func delivered(to index: Int) throws {
    let number = received[index]
    received[index] += 1
    guard number < missing.count else { throw FanoutFailure("\(peer.name) delivered more than was sent") }
    latencies.record(since: sentTimes[number])
    deliveries += 1
    missing[number] -= 1
    if missing[number] == 0, isRunning { try publish() }
  }
}

/// The figures of a fan-out.
struct FanoutFigures: Sendable {
  var deliveries: Int
  var seconds: Double
  /// The server's processor seconds; nil when it runs on another machine.
  var processorSeconds: Double?
  var latency: LatencySummary
  var residentBytes: Int?

  var rate: Double { Double(deliveries) / seconds }
  /// The server's processor microseconds for one delivery.
  var processorMicroseconds: Double? { processorSeconds.map { $0 * 1e6 / Double(max(1, deliveries)) } }
}
