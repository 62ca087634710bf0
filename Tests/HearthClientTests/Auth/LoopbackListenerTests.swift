import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import HearthClient

@Suite struct LoopbackListenerTests {
  /// Opens a connection.
  private static func connect(_ port: Int) async throws -> any Channel {
    try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: port).get()
  }

  @Test("the wait ends with the time, and the port is closed")
  func lifetime() async throws {
    let listener = try await LoopbackListener.open(lifetime: .milliseconds(20)) { _ in nil }
    #expect(await authCode { _ = try await listener.result() } == .webContextCancelled)
    listener.close()
    await #expect(throws: (any Error).self) {
      let url = try #require(URL(string: "http://127.0.0.1:\(listener.port)/"))
      // The port closes a moment later.
      for _ in 0..<1_000 { _ = try await TestBrowser().open(url) }
    }
  }

  @Test("connections above the maximum are closed, and the return is accepted after one has ended")
  func connections() async throws {
    let listener = try await LoopbackListener.open { $0 == "/right" ? ["a": "b"] : nil }
    defer { listener.close() }
    var idle: [any Channel] = []
    for _ in 0..<LoopbackListener.connectionsMax { idle.append(try await Self.connect(listener.port)) }
    let excess = try await Self.connect(listener.port)
    try await excess.closeFuture.get()
    // Those without a request are closed after a while, too.
    try? await idle.removeLast().close()
    let url = try #require(URL(string: "http://127.0.0.1:\(listener.port)/right"))
    try await AuthFixture.until { (try? await TestBrowser().open(url))?.status == 200 }
    #expect(try await listener.result() == ["a": "b"])
    for channel in idle { try? await channel.close() }
  }

  @Test(
    "requests that are no return get no result",
    arguments: [
      "GET /wrong HTTP/1.1\r\nHost: a\r\n\r\n", "POST /right HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n",
      "rubbish\r\n\r\n",
      "GET /right HTTP/9.9\r\n\r\n", "GET http:// HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
  func rubbish(text: String) async throws {
    let listener = try await LoopbackListener.open { $0 == "/right" ? ["a": "b"] : nil }
    let channel = try await Self.connect(listener.port)
    try await channel.writeAndFlush(ByteBuffer(string: text))
    try await channel.closeFuture.get()
    listener.close()
    #expect(await authCode { _ = try await listener.result() } == .webContextCancelled)
  }
}
