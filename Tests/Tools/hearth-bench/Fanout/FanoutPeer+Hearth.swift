extension FanoutPeer {
  /// Returns a peer with listeners of one room, each on its own socket and a member with its own user's token.
  static func sockets(of target: BenchTarget, connections: Int) -> FanoutPeer {
    hearth(target, members: (0..<connections).map { "u\($0)" }) { index in
      [
        open(target), try signIn("auth", target.token(uid: "u\(index)")),
        request(2, "q", "{\"p\":\"/rooms/r0\",\"h\":\"\"}"),
      ]
    }
  }

  /// Returns a peer with event streams of one room.
  static func streams(of target: BenchTarget) -> FanoutPeer {
    var peer = hearth(target, members: ["u0"]) { _ in
      let path = "/rooms/r0.json?ns=\(target.namespace)&auth=\(try target.token(uid: "u0"))"
      let head = "GET \(path) HTTP/1.1\r\nHost: \(target.authority)\r\nAccept: text/event-stream\r\n\r\n"
      // The first event contains the present data. Its empty line is two line feeds in a row, which a head does not
      // contain.
      return [Step(Array(head.utf8), until: "\n\n")]
    }
    peer.endsWithEmptyLine = true
    return peer
  }

  private static func hearth(
    _ target: BenchTarget, members: [String], subscribe: @escaping @Sendable (_ index: Int) throws -> [Step]
  ) -> FanoutPeer {
    FanoutPeer(
      name: "hearth", host: target.host, port: target.port, process: target.process, subscribe: subscribe,
      prepare: {
        let pairs = members.map { "\"r0/\($0)\":true" }.joined(separator: ",")
        return [
          open(target), try signIn("gauth", target.adminCredential),
          request(2, "m", "{\"p\":\"/members\",\"d\":{\(pairs)}}"),
        ]
      },
      publish: { number, payloadBytes in
        let body = "{\"p\":\"/rooms/r0/m\",\"d\":\(BenchPayload.json(payloadBytes, number))}"
        return message(number + 2, "p", body)
      })
  }

  private static func open(_ target: BenchTarget) -> Step {
    Step(Array(target.upgradeRequest.utf8), until: "\"t\":\"h\"")
  }

  private static func signIn(_ action: String, _ credential: String) throws -> Step {
    request(1, action, "{\"cred\":\"\(credential)\"}")
  }

  private static func request(_ number: Int, _ action: String, _ body: String) -> Step {
    Step(message(number, action, body), until: "\"s\":\"ok\"")
  }

  private static func message(_ number: Int, _ action: String, _ body: String) -> [UInt8] {
    ClientFrame.text("{\"t\":\"d\",\"d\":{\"r\":\(number),\"a\":\"\(action)\",\"b\":\(body)}}")
  }
}
