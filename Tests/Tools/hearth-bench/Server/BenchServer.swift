import CLinux
import Glibc
import HearthCrypto
import HearthProgram
import HearthServer

/// A server of the benchmark's own: a child process on loopback with a fresh data folder that goes with it.
final class BenchServer {
  private(set) var process: pid_t = 0
  let folder: String
  private(set) var port = 0
  /// From the start of the process to the line that says it is ready.
  private(set) var readySeconds = 0.0
  /// The server stops when this ends: also when this process is killed and can stop nothing itself.
  private var lifeline: Int32 = -1
  private let cpu: Int?
  private let command: [String]

  struct Failure: Error, CustomStringConvertible { var description: String }

  /// Starts it.
  ///
  /// - Parameters:
  ///   - program: nil is the `hearth` beside this program.
  ///   - cpu: the only processor that the server may use; nil for all.
  ///   - parent: where the folder is made: on the disk whose syncs are to be measured.
  ///   - files: further files for the folder, by name.
  ///   - options: further options of `hearth serve`, given the folder.
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

  /// Starts it again after ``end()``, with the data it has.
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

  /// Stops it and keeps its data.
  func end() {
    kill(process, SIGTERM)
    Glibc.close(lifeline)
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }

  /// Ends it at once, as when it crashes, and keeps its data.
  func crash() {
    kill(process, SIGKILL)
    Glibc.close(lifeline)
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }

  /// Ends the server and removes its folder.
  func stop() {
    end()
    Folder.remove(folder)
  }

  /// Ends the server at once and removes its folder.
  func destroy() {
    crash()
    Folder.remove(folder)
  }

  /// The keys that a server made in its data folder.
  static func keys(of data: String) throws -> KeyStore {
    try KeyStore(directory: HearthServer.Options.keysDirectory(of: data))
  }

  /// What a scenario needs to load it.
  func target() throws -> BenchTarget {
    BenchTarget(
      host: "127.0.0.1", port: port, namespace: "default", process: process, keys: try Self.keys(of: folder + "/data"))
  }

  /// Both ends are closed in every child that is not given them: a lifeline that somebody else held would hold nothing.
  static func makePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard linux_pipe(&ends, O_CLOEXEC) == 0 else {
      throw Failure(description: "no pipe: \(String(cString: strerror(errno)))")
    }
    return (ends[0], ends[1])
  }

  /// Reads the ready line; then lets a thread empty the pipe so that the server never blocks on it.
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
