/// Sends text messages to phones.
public protocol SMSSender: Sendable {
  /// Hands one message to whoever carries it, and returns when they have taken it.
  ///
  /// - Throws: any error. The server logs its description, so it must name no number and no code.
  func send(_ message: SMSMessage) async throws
}
