import Glibc

/// A server in a fan-out benchmark: its address, and the bytes of a subscriber and of the publisher.
///
/// Every message has the same length, so that deliveries can be counted by their bytes without parsing.
struct FanoutPeer: Sendable {
  /// Bytes to send, and the bytes of the answer that completes the step.
  struct Step: Sendable {
    var send: [UInt8]
    var mark: [UInt8]

    init(_ send: [UInt8], until mark: String) { self.init(send, until: Array(mark.utf8)) }

    init(_ send: [UInt8], until mark: [UInt8]) {
      self.send = send
      self.mark = mark
    }
  }

  var name: String
  var host: String
  var port: Int
  /// The server's process; nil when it runs on another machine.
  var process: pid_t?
  /// True when deliveries are counted by empty lines, because several of them may share one HTTP chunk, whose head adds
  /// bytes.
  var endsWithEmptyLine = false
  /// Returns the steps after which the subscriber with this index receives every message.
  var subscribe: @Sendable (_ index: Int) throws -> [Step]
  /// Returns the steps before the first message, which are made before the first subscription.
  var prepare: @Sendable () throws -> [Step]
  /// Returns one message, numbered from 1.
  var publish: @Sendable (_ number: Int, _ payloadBytes: Int) -> [UInt8]
}
