import Glibc
import HearthProgram
import HearthTree
import NIOHTTP1

/// The nodes of a cluster on loopback, each its own server, named a, b and so on.
final class BenchNodes {
  /// The servers by node number.
  private(set) var servers: [BenchServer] = []
  private let folder: String
  private let names: [String]

  /// Starts the nodes one after the other.
  ///
  /// - Parameters:
  ///   - url: The URL of their shared PostgreSQL.
  ///   - program: The server program; nil for the `hearth` beside this program.
  init(_ count: Int, url: String, program: String?, in parent: String) throws {
    let program = try program ?? ProgramFile.sibling("hearth")
    folder = try Folder.makeTemporary(in: parent, named: "hearth-bench")
    let names = (0..<count).map { String(UnicodeScalar(UInt8(ascii: "a") + UInt8($0))) }
    self.names = names
    do {
      let identities = folder + "/identities"
      let command = ["cluster", "init", identities, "--nodes", names.joined(separator: ",")]
      guard try ChildProcess.run(program, command) else {
        throw BenchServer.Failure(description: "the nodes' certificates could not be made")
      }
      let places = try names.map { "\($0)=127.0.0.1:\(try FreePort.find(host: "127.0.0.1"))" }
      for (number, name) in names.enumerated() {
        let peers = places.enumerated().filter { $0.offset != number }.flatMap { ["--peer", $0.element] }
        servers.append(
          try BenchServer(program: program, in: parent) { _ in
            ["--cluster", url, "--node", places[number], "--cluster-identity", "\(identities)/\(name)"] + peers
          })
      }
    } catch {
      stop()
      throw error
    }
  }

  var processes: [pid_t] { servers.map(\.process) }

  /// Returns a target for a database on a node.
  func target(_ number: Int, _ database: String = "default") throws -> BenchTarget {
    var target = try servers[number].target()
    target.namespace = database
    return target
  }

  /// Returns the number of the node that owns a database according to another node, or nil while there is no owner.
  ///
  /// - Parameter asked: The number of the node to ask.
  func owner(of database: String = "default", asking asked: Int) async throws -> Int? {
    let status = try await ask(asked, .GET)
    let row = status["databases"]?.array?.first { $0["name"]?.string == database }
    return row?["owner"]?.string.flatMap { names.firstIndex(of: $0) }
  }

  /// Waits until a database has an owner, and returns the owner's number.
  func settledOwner(of database: String = "default", asking asked: Int) async throws -> Int {
    for _ in 0..<300 {
      if let owner = try await owner(of: database, asking: asked) { return owner }
      try await Task.sleep(for: .milliseconds(100))
    }
    throw BenchServer.Failure(description: "no node owns \(database)")
  }

  /// Makes a node hand over all its databases to the other nodes.
  func drain(_ number: Int) async throws {
    let answer = try await ask(number, .POST, #"{"drain":true}"#)
    guard answer["owns"]?.array?.isEmpty == true else {
      throw BenchServer.Failure(description: "the node \(names[number]) still owns databases")
    }
  }

  private func ask(_ number: Int, _ method: HTTPMethod, _ body: String = "") async throws -> JSON {
    let target = try target(number)
    let token = try BenchServer.keys(of: servers[number].folder + "/data").adminToken
    let request = BenchHTTP.Request(method: method, path: "/.settings/cluster.json", body: body, credential: token)
    let answer = try await BenchHTTP.ask(request, of: target)
    guard answer.status == 200, let json = answer.body.flatMap({ JSON(parsing: $0.readableBytesView) }) else {
      throw BenchServer.Failure(description: "cluster.json: status \(answer.status)")
    }
    return json
  }

  /// Stops the nodes and removes their folders.
  func stop() {
    for server in servers { server.stop() }
    servers = []
    Folder.remove(folder)
  }
}
