import Glibc

/// A server that one message can be fanned out with: where it is, and the bytes of a subscriber and of the publisher.
///
/// Every message has the same length, so that deliveries are counted by their bytes and not read.
struct FanoutPeer: Sendable {
  /// Bytes to send, and the bytes that say that they have been taken.
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
  /// The server's process; nil when it is not this machine's.
  var process: pid_t?
  /// Several deliveries may come in one HTTP chunk, whose head counts as well: they are told by their empty lines.
  var endsWithEmptyLine = false
  /// Until the subscriber with this index is told of every message.
  var subscribe: @Sendable (_ index: Int) throws -> [Step]
  /// Until messages can be sent. Done before anybody subscribes.
  var prepare: @Sendable () throws -> [Step]
  /// One message, numbered from 1.
  var publish: @Sendable (_ number: Int, _ payloadBytes: Int) -> [UInt8]
}
