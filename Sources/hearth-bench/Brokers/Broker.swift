/// A message broker to compare with: how it is started, and the bytes of one subscriber and one publisher.
///
/// Deliveries of one topic and one payload size are frames of equal length, so that they are counted by their bytes.
struct Broker: Sendable {
  var name: String
  var program: String
  /// Sent once connected.
  var greeting: [UInt8]
  var subscribe: [UInt8]
  /// How many bytes the broker answers before the first delivery: to the greeting and the subscription. nil: until
  /// the text in ``isReady``.
  var isReady: @Sendable ([UInt8]) -> Int?
  var publish: @Sendable (_ payload: [UInt8]) -> [UInt8]
  /// The bytes of one delivery.
  var delivery: @Sendable (_ payloadBytes: Int) -> Int
  /// Arguments of the program, and a file for it.
  var arguments: @Sendable (_ port: Int, _ folder: String) -> [String]
  var file: (@Sendable (_ port: Int) -> (name: String, text: String))?

  static let all = [mosquitto, nats, redis]

  private static let topic = "room"

  // MARK: MQTT 3.1.1, quality of service 0

  static let mosquitto = Broker(
    name: "mosquitto", program: "mosquitto", greeting: connectPacket, subscribe: subscribePacket,
    isReady: { bytes in
      // CONNACK has 4 bytes, SUBACK 5.
      bytes.count >= 9 ? 9 : nil
    },
    publish: { payload in mqttPublish(payload) }, delivery: { mqttPublish(Array(repeating: 0, count: $0)).count },
    arguments: { _, folder in ["-c", folder + "/mosquitto.conf"] },
    file: { port in
      ("mosquitto.conf", "listener \(port) 127.0.0.1\nallow_anonymous true\npersistence false\nmax_queued_messages 0\n")
    })

  private static var connectPacket: [UInt8] {
    let body: [UInt8] = [0, 4] + Array("MQTT".utf8) + [4, 2, 0, 0, 0, 0]  // clean session, no keepalive, empty id
    return [0x10, UInt8(body.count)] + body
  }

  private static var subscribePacket: [UInt8] {
    let body: [UInt8] = [0, 1, 0, UInt8(topic.utf8.count)] + Array(topic.utf8) + [0]
    return [0x82, UInt8(body.count)] + body
  }

  private static func mqttPublish(_ payload: [UInt8]) -> [UInt8] {
    let head: [UInt8] = [0, UInt8(topic.utf8.count)] + Array(topic.utf8)
    var (length, size) = (head.count + payload.count, [UInt8]())
    repeat {
      size.append(UInt8(length & 0x7F) | (length > 0x7F ? 0x80 : 0))
      length >>= 7
    } while length > 0
    return [0x30] + size + head + payload
  }

  // MARK: NATS

  static let nats = Broker(
    name: "nats-server", program: "nats-server",
    greeting: Array("CONNECT {\"verbose\":false,\"pedantic\":false}\r\n".utf8),
    subscribe: Array("SUB \(topic) 1\r\nPING\r\n".utf8),
    isReady: { bytes in end(of: "PONG\r\n", in: bytes) },
    publish: { payload in Array("PUB \(topic) \(payload.count)\r\n".utf8) + payload + [13, 10] },
    delivery: { "MSG \(topic) 1 \($0)\r\n".utf8.count + $0 + 2 },
    arguments: { port, _ in ["-a", "127.0.0.1", "-p", "\(port)"] })

  // MARK: Redis

  static let redis = Broker(
    name: "redis pub/sub", program: "redis-server", greeting: [],
    subscribe: Array("SUBSCRIBE \(topic)\r\n".utf8),
    isReady: { bytes in end(of: ":1\r\n", in: bytes) },
    publish: { payload in
      Array("*3\r\n$7\r\nPUBLISH\r\n$\(topic.utf8.count)\r\n\(topic)\r\n$\(payload.count)\r\n".utf8) + payload + [
        13, 10,
      ]
    },
    delivery: {
      "*3\r\n$7\r\nmessage\r\n$\(topic.utf8.count)\r\n\(topic)\r\n$\($0)\r\n".utf8.count + $0 + 2
    },
    arguments: { port, folder in
      [
        "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder,
        "--maxclients", "20000",
      ]
    })

  private static func end(of mark: String, in bytes: [UInt8]) -> Int? {
    let mark = Array(mark.utf8)
    return bytes.indices.first { bytes[$0...].starts(with: mark) }.map { $0 + mark.count }
  }
}
