import NIOCore

/// The fan-out scenario, held with a broker: one publisher, many subscribers of one topic; a message is over when all
/// have it.
final class BrokerFanout {
  private let broker: Broker
  private let process: BrokerProcess
  private let size: BenchSize
  private let loop: any EventLoop
  private let publisher: BrokerSocket
  private var subscribers: [BrokerSocket] = []
  private let meter: FanoutMeter
  private var waiting = 0

  init(_ broker: Broker, at process: BrokerProcess, size: BenchSize, loop: any EventLoop) {
    self.broker = broker
    self.process = process
    self.size = size
    self.loop = loop
    meter = FanoutMeter(size, on: loop)
    publisher = BrokerSocket(broker, isSubscriber: false, payloadBytes: size.payloadBytes)
  }

  func run() -> EventLoopFuture<BenchResult> {
    publisher.connect(on: loop, port: process.port).assumeIsolated().flatMap { [self] in subscribe() }
      .flatMap { [self] in load() }.nonisolated()
  }

  private func subscribe() -> EventLoopFuture<Void> {
    let done = loop.makePromise(of: Void.self)
    waiting = size.connections
    // A few at a time: brokers have short queues for new connections.
    for _ in 0..<min(64, size.connections) { subscribeNext(done) }
    return done.futureResult
  }

  private func subscribeNext(_ done: EventLoopPromise<Void>) {
    guard subscribers.count < size.connections else { return }
    let socket = BrokerSocket(broker, isSubscriber: true, payloadBytes: size.payloadBytes)
    subscribers.append(socket)
    socket.onClose = { [name = broker.name] in
      done.fail(BenchSockets.Failure(description: "\(name) closed a subscriber"))
    }
    socket.onReady = { [self] in
      waiting -= 1
      if waiting == 0 { done.succeed() } else { subscribeNext(done) }
    }
    socket.connect(on: loop, port: process.port).cascadeFailure(to: done)
  }

  private func load() -> EventLoopFuture<BenchResult> {
    let done = loop.makePromise(of: BenchResult.self)
    for (index, socket) in subscribers.enumerated() {
      socket.onClose = { [name = broker.name] in
        done.fail(BenchSockets.Failure(description: "\(name) closed a subscriber"))
      }
      socket.onDelivery = { [meter] in meter.delivered(to: index) }
    }
    let payload = Array(repeating: UInt8(ascii: "x"), count: size.payloadBytes)
    let setup = "1 → \(size.connections), \(size.inFlight) in flight"
    meter.run(broker.name, setup, load: ServerLoad(process: process.id)) { [publisher, broker] _ in
      publisher.send(broker.publish(payload))
    }.assumeIsolated().always { [subscribers, publisher] _ in
      for socket in subscribers + [publisher] { socket.close() }
    }.nonisolated().cascade(to: done)
    return done.futureResult
  }
}
