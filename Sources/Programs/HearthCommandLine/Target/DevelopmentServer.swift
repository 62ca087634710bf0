import HearthTree

/// A running `hearth dev`, as it describes itself to the commands of its folder.
package struct DevelopmentServer: Equatable, Sendable {
  /// The process of the server.
  package var process: ServerProcessID
  /// The real path of the folder that it serves for: the project's, or the one that it was started in.
  package var projectFolder: String
  /// The absolute path of its data folder.
  package var dataFolder: String
  /// The URL on this machine.
  package var url: String

  /// A description of a running server.
  package init(process: ServerProcessID, projectFolder: String, dataFolder: String, url: String) {
    (self.process, self.projectFolder, self.dataFolder, self.url) = (process, projectFolder, dataFolder, url)
  }

  /// The description in JSON; nil when the text is another one.
  init?(_ bytes: [UInt8]) {
    guard let json = JSON(parsing: bytes), let id = json["pid"]?.int.flatMap({ Int32(exactly: $0) }),
      let ticks = json["startTicks"]?.string.flatMap({ UInt64($0) }), let boot = json["bootID"]?.string,
      let folder = json["folder"]?.string, let data = json["data"]?.string, let url = json["url"]?.string,
      folder.hasPrefix("/"), data.hasPrefix("/")
    else { return nil }
    self.init(
      process: ServerProcessID(id: id, startTicks: ticks, bootID: boot), projectFolder: folder, dataFolder: data,
      url: url)
  }

  var text: [UInt8] {
    let json: JSON = [
      "pid": .int(Int64(process.id)), "startTicks": .string(String(process.startTicks)),
      "bootID": .string(process.bootID), "folder": .string(projectFolder), "data": .string(dataFolder),
      "url": .string(url),
    ]
    return json.text() + [UInt8(ascii: "\n")]
  }
}
