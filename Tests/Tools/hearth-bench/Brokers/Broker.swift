import Glibc

/// A message broker for comparison: its command line and the bytes of its clients.
struct Broker: Sendable {
  var name: String
  var program: String
  /// The program's arguments. ``file`` is its configuration file, if it needs one.
  var arguments: @Sendable (_ port: Int, _ folder: String) -> [String]
  var file: (@Sendable (_ port: Int) -> (name: String, text: String))?
  var subscribe: [FanoutPeer.Step]
  var prepare: [FanoutPeer.Step]
  var publish: @Sendable (_ payload: [UInt8]) -> [UInt8]

  static let all = [redis, nats, mosquitto]

  private static let topic = "room"

  /// Returns the fan-out peer of a running broker.
  func peer(process: pid_t, port: Int) -> FanoutPeer {
    let (subscribe, prepare, publish) = (subscribe, prepare, publish)
    return FanoutPeer(
      name: name, host: "127.0.0.1", port: port, process: process, subscribe: { _ in subscribe }, prepare: { prepare },
      publish: { _, payloadBytes in publish(Array(repeating: UInt8(ascii: "x"), count: payloadBytes)) })
  }

  // MARK: Redis

  static let redis = Broker(
    name: "redis", program: "redis-server",
    arguments: { port, folder in
      [
        "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder,
        "--maxclients", "21000",
      ]
    },
    subscribe: [.init(Array("SUBSCRIBE \(topic)\r\n".utf8), until: ":1\r\n")], prepare: [],
    publish: { payload in
      Array("*3\r\n$7\r\nPUBLISH\r\n$\(topic.utf8.count)\r\n\(topic)\r\n$\(payload.count)\r\n".utf8) + payload + [
        13, 10,
      ]
    })

  // MARK: NATS

  private static let natsConnect = "CONNECT {\"verbose\":false,\"pedantic\":false}\r\n"

  static let nats = Broker(
    name: "nats", program: "nats-server", arguments: { port, _ in ["-a", "127.0.0.1", "-p", "\(port)"] },
    subscribe: [.init(Array("\(natsConnect)SUB \(topic) 1\r\nPING\r\n".utf8), until: "PONG\r\n")],
    prepare: [.init(Array("\(natsConnect)PING\r\n".utf8), until: "PONG\r\n")],
    publish: { payload in Array("PUB \(topic) \(payload.count)\r\n".utf8) + payload + [13, 10] })

  // MARK: MQTT 3.1.1, quality of service 0

  static let mosquitto = Broker(
    name: "mosquitto", program: "mosquitto", arguments: { _, folder in ["-c", folder + "/mosquitto.conf"] },
    file: { port in
      ("mosquitto.conf", "listener \(port) 127.0.0.1\nallow_anonymous true\npersistence false\nmax_queued_messages 0\n")
    },
    // The bytes of CONNACK and SUBACK, both without a refusal.
    subscribe: [
      .init(mqttConnect, until: [0x20, 2, 0, 0]), .init(mqttSubscribe, until: [0x90, 3, 0, 1, 0]),
    ],
    prepare: [.init(mqttConnect, until: [0x20, 2, 0, 0])], publish: mqttPublish)

  private static var mqttConnect: [UInt8] {
    let body: [UInt8] = [0, 4] + Array("MQTT".utf8) + [4, 2, 0, 0, 0, 0]  // Clean session, keep-alive 0, no client id.
    return [0x10, UInt8(body.count)] + body
  }

  private static var mqttSubscribe: [UInt8] {
    let body: [UInt8] = [0, 1, 0, UInt8(topic.utf8.count)] + Array(topic.utf8) + [0]
    return [0x82, UInt8(body.count)] + body
  }

  @Sendable private static func mqttPublish(_ payload: [UInt8]) -> [UInt8] {
    let head: [UInt8] = [0, UInt8(topic.utf8.count)] + Array(topic.utf8)
    var (length, size) = (head.count + payload.count, [UInt8]())
    repeat {
      size.append(UInt8(length & 0x7F) | (length > 0x7F ? 0x80 : 0))
      length >>= 7
    } while length > 0
    return [0x30] + size + head + payload
  }
}
