import CLinux
import Glibc
import HearthCrypto
import HearthProgram
import HearthServer

/// A server for the benchmark: a child process on loopback with a fresh data folder that is removed with it.
final class BenchServer {
  private(set) var process: pid_t = 0
  let folder: String
  private(set) var port = 0
  /// Seconds from the start of the process to its ready line.
  private(set) var readySeconds = 0.0
  /// A pipe at whose end the server stops, so that it stops even when this process is killed.
  private var lifeline: Int32 = -1
  private let cpu: Int?
  private let command: [String]

  struct Failure: Error, CustomStringConvertible { var description: String }

  /// Starts the server.
  ///
  /// - Parameters:
  ///   - program: The server program; nil for the `hearth` beside this program.
  ///   - cpu: The only processor that the server may use; nil for all.
  ///   - parent: The parent of the data folder, on the disk whose syncs are to be measured.
  ///   - files: Additional files for the folder, by name.
  ///   - options: Returns additional options of `hearth serve`, given the folder.
  init(
    program: String? = nil, rules: String = BenchTarget.rules, cpu: Int? = nil, in parent: String,
    files: [String: String] = [:],
    options: (_ folder: String) -> [String] = { _ in [] }
  ) throws {
    let program = try program ?? ProgramFile.sibling("hearth")
    let folder = try Folder.makeTemporary(in: parent, named: "hearth-bench")
    self.folder = folder
    self.cpu = cpu
    command =
      [
        program, "serve", "--data", folder + "/data", "--rules", folder + "/rules.json", "--port", "0",
        "--log-level", "error", "--threads", cpu == nil ? "0" : "1", "--stop-with-stdin",
      ] + options(folder)
    for (name, text) in files.merging(["rules.json": rules], uniquingKeysWith: { first, _ in first }) {
      guard try TextFile.create(folder + "/" + name, text) else { throw Failure(description: "\(folder) is not empty") }
    }
    try start()
  }

  /// Starts the server again after ``end()``, with its data.
  func start() throws {
    let started = WallClock.monotonicNanoseconds
    let (output, input) = (try Self.makePipe(), try Self.makePipe())
    lifeline = input.write
    process = try ChildProcess.spawn(
      command[0], Array(command.dropFirst()), input: input.read, output: output.write, cpu: cpu)
    Glibc.close(output.write)
    Glibc.close(input.read)
    defer { Glibc.close(output.read) }
    port = try Self.readPort(output.read)
    readySeconds = WallClock.seconds(since: started)
  }

  /// Stops the server and keeps its data.
  func end() {
    kill(process, SIGTERM)
    Glibc.close(lifeline)
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }

  /// Kills the server, as in a crash, and keeps its data.
  func crash() {
    kill(process, SIGKILL)
    Glibc.close(lifeline)
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }

  /// Stops the server and removes its folder.
  func stop() {
    end()
    Folder.remove(folder)
  }

  /// Kills the server and removes its folder.
  func destroy() {
    crash()
    Folder.remove(folder)
  }

  /// Returns the keys in a server's data folder.
  static func keys(of data: String) throws -> KeyStore {
    try KeyStore(directory: HearthServer.Options.keysDirectory(of: data))
  }

  /// Returns the target for scenarios.
  func target() throws -> BenchTarget {
    BenchTarget(
      host: "127.0.0.1", port: port, namespace: "default", process: process, keys: try Self.keys(of: folder + "/data"))
  }

  /// Makes a pipe whose ends are closed in every child that does not receive them: the server would not notice the end
  /// of a lifeline that another process holds open.
  static func makePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard linux_pipe(&ends, O_CLOEXEC) == 0 else {
      throw Failure(description: "no pipe: \(String(cString: strerror(errno)))")
    }
    return (ends[0], ends[1])
  }

  /// Reads the port from the ready line; then a thread drains the pipe so that the server never blocks on it.
  private static func readPort(_ file: Int32) throws -> Int {
    var text = ""
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(file, &chunk, chunk.count)
      guard count > 0 else { throw Failure(description: "the server ended before it was ready:\n\(text)") }
      text += String(decoding: chunk[..<count], as: UTF8.self)
      guard
        let line = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first(where: {
          $0.contains("ready in")
        })
      else { continue }
      guard let port = line.split(separator: ":").last.flatMap({ Int($0) }) else {
        throw Failure(description: "no port in: \(line)")
      }
      return port
    }
  }
}
