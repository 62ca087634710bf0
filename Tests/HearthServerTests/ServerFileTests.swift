import Foundation
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

@Suite struct ServerFileTests {
  @Test("a running server publishes its address in a file for its owner alone, and removes the file at its end")
  func isThereWhileServing() async throws {
    let test = try await TestServer()
    let path = test.directory + "/" + ServerFile.name
    let file = try #require(ServerFile.read(dataDirectory: test.directory))
    #expect(file.url == "http://127.0.0.1:\(test.port)" && file.processID == getpid())
    #expect(file.projectID == "hearth" && file.defaultNamespace == "default")
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    await test.server.stop()
    #expect(ServerFile.read(dataDirectory: test.directory) == nil)
  }

  @Test("a file left by a crash is replaced; an invalid file is not trusted, and a link is not followed")
  func leftOver() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/" + ServerFile.name
    for text in ["", "{", "[]", #"{"pid":1}"#, #"{"pid":"1","url":"x"}"#] {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      #expect(ServerFile.read(dataDirectory: folder.path) == nil, "\(text)")
    }
    let file = ServerFile(processID: .max, url: "http://127.0.0.1:1", projectID: "p", defaultNamespace: "d")
    try file.write(dataDirectory: folder.path)
    #expect(ServerFile.read(dataDirectory: folder.path) == file)
    try FileManager.default.moveItem(atPath: path, toPath: path + ".other")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".other")
    #expect(ServerFile.read(dataDirectory: folder.path) == nil)
  }

  @Test("a server that listens on all addresses is reached on loopback")
  func urls() {
    #expect(ServerFile.url(host: "0.0.0.0", port: 9000, isEncrypted: false) == "http://127.0.0.1:9000")
    #expect(ServerFile.url(host: "::", port: 443, isEncrypted: true) == "https://[::1]:443")
    #expect(ServerFile.url(host: "2001:db8::1", port: 80, isEncrypted: false) == "http://[2001:db8::1]:80")
    #expect(ServerFile.url(host: "auth.example.com", port: 80, isEncrypted: false) == "http://auth.example.com:80")
  }
}
