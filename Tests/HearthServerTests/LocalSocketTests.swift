import Foundation
import HearthCrypto
import NIOSSL
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests of the Unix socket in the data folder, over live servers.
@Suite struct LocalSocketTests {
  private static func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  private static func get(_ target: String, in directory: String, token: String? = nil) throws -> LiveResponse {
    let connection = try LiveConnection(to: try LocalSocket(dataDirectory: directory))
    return try connection.request("GET", target, headers: token.map { ["Authorization": "Bearer " + $0] } ?? [:])
  }

  private static func adminToken(_ directory: String) throws -> String {
    try KeyStore(directory: directory + "/keys").adminToken
  }

  @Test(
    "the local socket serves the port's interfaces to its owner alone, with the same credentials, until the server ends"
  )
  func isThereWhileServing() async throws {
    let test = try await TestServer()
    let path = test.directory + "/" + LocalSocket.name
    #expect(try Self.mode(path) == 0o600)
    #expect(try Self.get("/a.json?ns=default", in: test.directory).status == 401)
    let token = try Self.adminToken(test.directory)
    let answer = try Self.get("/a.json?ns=default", in: test.directory, token: token)
    #expect(answer.status == 200 && answer.body == "null")
    #expect(try test.http("GET", "/a.json", headers: ["Authorization": "Bearer " + token]).status == 200)
    await test.server.stop()
    #expect(throws: LiveConnection.Ended.self) { try Self.get("/", in: test.directory) }
    let left = try FileManager.default.contentsOfDirectory(atPath: test.directory)
    #expect(!left.contains { $0.hasPrefix(LocalSocket.name) }, "\(left)")
  }

  @Test("the local socket is unencrypted also when the port uses TLS, and its audit records have no address")
  func besideTLS() async throws {
    let folder = try TemporaryFolder()
    for (name, text) in [("cert", TestCertificate.certificatePEM), ("key", TestCertificate.keyPEM)] {
      try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
    }
    let directory = folder.path + "/data"
    let server = HearthServer(
      options: .init(
        dataDirectory: directory, port: 0,
        tls: .init(certificatePath: folder.path + "/cert", keyPath: folder.path + "/key")))
    try await server.start()
    let token = try Self.adminToken(directory)
    let headers = ["Authorization": "Bearer " + token, "X-Forwarded-For": "192.0.2.7"]
    let socket = try LocalSocket(dataDirectory: directory)
    let made = try LiveConnection(to: socket).request(
      "POST", "/identitytoolkit.googleapis.com/v1/projects/hearth/accounts", #"{"localId":"ann"}"#, headers: headers)
    #expect(made.status == 200, "\(made.body)")
    let trail = try LiveConnection(to: socket).request(
      "POST", "/hearth/v1/audit:tail", "{}", headers: headers)
    #expect(trail.status == 200 && !trail.body.contains("192.0.2.7"), "\(trail.body)")
    #expect(throws: LiveConnection.Ended.self) { try LiveConnection(port: server.boundPort ?? 0).request("GET", "/") }
    await server.stop()
  }

  @Test("a folder's path may be longer than a socket's path may be")
  func longPath() async throws {
    let folder = try TemporaryFolder()
    let directory = ([folder.path] + Array(repeating: String(repeating: "d", count: 100), count: 3)).joined(
      separator: "/")
    let server = HearthServer(options: .init(dataDirectory: directory, port: 0))
    try await server.start()
    #expect(try Self.mode(directory + "/" + LocalSocket.name) == 0o600)
    #expect(try Self.get("/a.json?ns=default", in: directory).status == 401)
    await server.stop()
  }

  @Test("the socket of a killed server refuses connections, and the next server replaces it")
  func leftOver() async throws {
    let folder = try TemporaryFolder()
    let directory = folder.path + "/data"
    try FileManager.default.createDirectory(
      atPath: directory + "/" + LocalSocket.name + ".new", withIntermediateDirectories: true)
    let left = try LocalSocket(dataDirectory: directory).listen()
    close(left.descriptor)
    #expect(throws: LiveConnection.Ended.self) { try Self.get("/", in: directory) }
    let server = HearthServer(options: .init(dataDirectory: directory, port: 0))
    try await server.start()
    #expect(try Self.get("/a.json?ns=default", in: directory).status == 401)
    await server.stop()
  }

  @Test("a second server on the folder, or one whose port is taken, leaves the first one's socket intact")
  func secondServer() async throws {
    try await TestServer.with { test throws in
      let second = HearthServer(options: .init(dataDirectory: test.directory, port: 0))
      await #expect(throws: ServerError.self) { try await second.start() }
      #expect(try Self.get("/a.json?ns=default", in: test.directory).status == 401)
      let folder = try TemporaryFolder()
      let third = HearthServer(options: .init(dataDirectory: folder.path, port: test.port))
      await #expect(throws: ServerError.self) { try await third.start() }
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/" + LocalSocket.name))
    }
  }

  @Test("a server also serves on a file system that cannot hold a socket")
  func withoutSocket() async throws {
    let folder = try TemporaryFolder()
    let directory = folder.path + "/data"
    try FileManager.default.createDirectory(
      atPath: directory + "/" + LocalSocket.name + "/taken", withIntermediateDirectories: true)
    let server = HearthServer(options: .init(dataDirectory: directory, port: 0))
    try await server.start()
    #expect(try LiveConnection(port: server.boundPort ?? 0).request("GET", "/a.json?ns=default").status == 401)
    await server.stop()
  }

  @Test("only the server's own user and root are accepted")
  func users() {
    #expect(LocalSocket.admits(geteuid()) && LocalSocket.admits(0))
    #expect(!LocalSocket.admits(geteuid() + 1) && !LocalSocket.admits(.max))
  }
}
