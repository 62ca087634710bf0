import HearthTree
import HearthWire

/// The state of one open socket, discarded with it.
struct Link: Sendable {
  /// A request waiting for the socket.
  enum Outgoing: Sendable {
    case statistics(String)
    case authenticate(String)
    case unauthenticate
    case appCheck(String?)
    case request(id: Int, Request.Action)
  }

  /// A request that was sent and is not answered yet.
  enum InFlight: Sendable {
    case listen(id: Int)
    case write(id: Int)
    case get(id: Int)
    /// Another request of the owner.
    case request(id: Int)
    case authenticate
    case unauthenticate
    case appCheck
    /// A request whose answer is ignored.
    case other
  }

  /// The answer to a write that is held until earlier listens are answered; otherwise the app would still see the data
  /// from before the write.
  struct DelayedReply: Sendable {
    var id: Int
    var status: Status
    var data: ReceivedMessage.ReplyData
    /// The listen whose answer releases it.
    var listen: Int32
  }

  var assembler: SegmentAssembler
  /// The times, on the monotonic clock, of the last data from the server and of the last traffic in either direction.
  var lastAlive: Int64
  var lastTraffic: Int64
  /// The time of the hello; nil before.
  var greeted: Int64?
  /// True when the socket accepts more data.
  var isWritable = true
  /// The messages waiting for the socket, in order.
  var sendQueue: Queue<Outgoing> = Queue()
  var inFlight: [Int32: InFlight] = [:]
  /// The credential that was last queued for sending on this socket.
  var credential: String?
  /// The requests whose answers decide whether the connection becomes ready.
  var authRequest: Int32?
  var appCheckRequest: Int32?
  var delayedReplies: Queue<DelayedReply> = Queue()
  /// The listens in the order of their sending; answered ones are removed from the front.
  var listens: Queue<Int32> = Queue()
  var lastListen: Int32?
  /// The number of log lines that the server may still cause.
  var logLinesLeft = 100

  init(limits: WireLimits, at now: Int64) {
    assembler = SegmentAssembler(limits: limits)
    (lastAlive, lastTraffic) = (now, now)
  }

  /// Returns the message that a text from the socket contains or completes; nil when there is no complete message yet.
  mutating func message(
    completedBy text: [UInt8], _ settings: ConnectionSettings
  ) throws(WireError) -> ReceivedMessage? {
    // Some servers send an empty message to keep a socket open.
    guard !text.isEmpty else { return nil }
    let whole: [UInt8]
    switch try assembler.receive(text) {
    case .keepalive, .incomplete: return nil
    case .whole: whole = text
    case .assembled(let bytes): whole = bytes
    }
    return try ReceivedMessage.decode(whole, limits: settings.received) { [inFlight] number in
      if case .get? = inFlight[number] { .node } else { .json }
    }
  }

  /// Returns the first listen without an answer.
  mutating func oldestListen() -> Int32? {
    while let number = listens.first {
      if case .listen? = inFlight[number] { return number }
      listens.removeFirst()
    }
    return nil
  }
}

/// A first-in, first-out queue.
struct Queue<Element> {
  private var elements: [Element] = []
  private var start = 0

  init() {}

  var isEmpty: Bool { start == elements.count }
  var first: Element? { isEmpty ? nil : elements[start] }

  mutating func append(_ element: Element) { elements.append(element) }

  /// Removes the first element; does nothing when the queue is empty.
  mutating func removeFirst() {
    guard !isEmpty else { return }
    start += 1
    // Some servers send an empty message to keep a socket open; it is ignored.
    if start > 1_024, start * 2 > elements.count {
      elements.removeFirst(start)
      start = 0
    } else if isEmpty {
      elements.removeAll(keepingCapacity: true)
      start = 0
    }
  }
}

extension Queue: Sequence {
  func makeIterator() -> IndexingIterator<ArraySlice<Element>> { elements[start...].makeIterator() }
}

extension Queue: Sendable where Element: Sendable {}
