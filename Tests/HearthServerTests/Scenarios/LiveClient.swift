import HearthTestKit

/// A client of a real server that exchanges whole messages over any transport.
protocol LiveClient {
  /// The session ID in the hello.
  var session: String { get }
  func send(_ message: String) throws
  /// Returns the next message, or `close <code>` for the end.
  func receive() throws -> String
  /// Closes the connection with notice to the server.
  func close() throws
}

extension LiveSocket: LiveClient {}

/// A browser with long polls. One poll is always open while a message is expected.
final class PollingClient: LiveClient {
  private let poll: LivePoll
  private var open: LivePoll.Request?
  private var told: [String] = []

  init(_ poll: LivePoll) { self.poll = poll }

  var session: String { poll.session }

  /// Sends a message in a new poll, which completes the previous one.
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
  /// True when the conversation has sockets and uses no feature that only sockets have: keepalives, and frames of
  /// particular user agents.
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
