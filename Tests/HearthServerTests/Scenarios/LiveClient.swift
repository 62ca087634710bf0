import HearthTestKit

/// A client of a real server that says and is told whole messages, over whichever transport.
protocol LiveClient {
  /// From the hello.
  var session: String { get }
  func send(_ message: String) throws
  /// The next message; `close <code>` for the end.
  func receive() throws -> String
  /// Leaves, so that the server knows.
  func close() throws
}

extension LiveSocket: LiveClient {}

/// A browser without a socket. One poll is always open when something is awaited.
final class PollingClient: LiveClient {
  private let poll: LivePoll
  private var open: LivePoll.Request?
  private var told: [String] = []

  init(_ poll: LivePoll) { self.poll = poll }

  var session: String { poll.session }

  /// The poll that says something has the one before it answered.
  func send(_ message: String) throws {
    let next = try poll.poll(message)
    try take()
    open = next
  }

  func receive() throws -> String {
    while told.isEmpty {
      if open == nil { open = try poll.poll() }
      try take()
    }
    return told.removeFirst()
  }

  private func take() throws {
    guard let request = open else { return }
    open = nil
    let answer = try poll.take(request)
    told += answer.messages
    if answer.isLast { told.append("close 0") }
  }

  func close() throws {
    _ = try poll.request("disconn=t&id=\(poll.id)&pw=\(poll.password)").connection.takeResponse()
  }
}

extension Conversation {
  /// Some socket is in it, and nothing that only a socket has: keepalives, and what a user agent says of its frames.
  var canBePolled: Bool {
    var connects = false
    for step in steps {
      switch step.kind {
      case .connect(_, _, let agent):
        guard agent == nil else { return false }
        connects = true
      case .raw(_, let text): guard text.hasPrefix("{") else { return false }
      default: break
      }
    }
    return connects
  }
}
