import HearthTestKit
import HearthTree

extension LiveStream {
  /// Returns the next event in the terms of a conversation.
  func told() throws -> Conversation.ReceivedEvent {
    let event = try next()
    if event == "end" { return .closed }
    let parts = event.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else { return .unreadable(event) }
    guard let json = JSON(parsing: parts[1].utf8) else { return .text(action: parts[0], text: parts[1]) }
    return .push(action: parts[0], body: json)
  }

  /// Returns the unread events that have arrived.
  func rest() throws -> [Conversation.ReceivedEvent] {
    var events: [Conversation.ReceivedEvent] = []
    while !text.isEmpty || (!isEnded && connection.hasBytes) { events.append(try told()) }
    return events
  }
}
