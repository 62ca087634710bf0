import Glibc
import HearthProgram
import HearthTree

/// A plugin that answers at once, run by this program itself. The user in its answers is its process ID.
enum PluginAnswers {
  private static let hooks = JSON.array([.string("exchange"), .string("verifyToken")])

  /// Writes the plugin's folder.
  static func write(below folder: String, workers: Int) throws -> String {
    guard let program = ProgramFile.own else { throw TextFile.Failure("find this program's own file") }
    let path = folder + "/source"
    try TextFile.makeFolder(path)
    let manifest = JSON.object([
      .init("name", .string("bench")), .init("version", .string("1")), .init("protocol", .int(1)),
      .init(
        "command",
        .array([.string(program), .string("plugins"), .string("--answers")])),
      .init("hooks", hooks), .init("provider", .object([.init("id", .string("bench"))])),
      .init("verifies", .object([.init("opaquePrefixes", .array([.string("bench_")]))])),
      .init("wants", .object([.init("workers", .int(Int64(workers)))])),
    ])
    _ = try TextFile.create(path + "/plugin.json", String(decoding: manifest.text(), as: UTF8.self))
    return path
  }

  /// Answers every line of standard input until its end.
  static func run() {
    let user = JSON.object([.init("uid", .string("\(getpid())"))])
    while let line = readLine() {
      let bytes = Array(line.utf8)
      guard let message = JSON(parsing: bytes) else { continue }
      let answer: JSON
      if message["hello"] != nil {
        answer = .object([
          .init(
            "hello",
            .object([
              .init("protocol", .int(1)), .init("name", .string("bench")),
              .init("hooks", hooks),
            ]))
        ])
      } else if let id = message["id"] {
        let name = message["hook"]?.string == "verifyToken" ? "verified" : "user"
        answer = .object([
          .init("id", id), .init("output", .object([.init(name, user)])),
        ])
      } else {
        continue
      }
      Output.json(answer)
    }
  }
}
