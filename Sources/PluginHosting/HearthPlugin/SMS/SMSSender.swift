/// Sends text messages to phones.
public protocol SMSSender: Sendable {
  /// Passes one message to the gateway, and returns when the gateway has taken it.
  ///
  /// - Throws: any error. The server logs its description, so it must name no number and no code.
  func send(_ message: SMSMessage) async throws
}
