import Glibc
import HearthProgram
import HearthRules
import HearthServer
import HearthTree

/// The configuration of databases and emulators in an app's `firebase.json` and `.firebaserc`.
///
/// Members and shapes are those of firebase-tools. `import` and `exportOnExit` below `emulators` are Hearth's own: the
/// official command line has options of these names.
struct FirebaseProject {
  /// The rules file of a database.
  struct DatabaseRules: Equatable {
    /// The namespace; nil for all databases without an entry of their own.
    var namespace: String?
    var path: String
  }

  /// The path of the file, for messages.
  let path: String
  /// The named project, or the default one of `.firebaserc`.
  var projectID: String?
  var rules: [DatabaseRules] = []
  /// The emulators with an entry in the file, with the port if it sets one.
  var ports: [String: Int?] = [:]
  /// The folder from which data and accounts are imported at the start.
  var importFolder: String?
  /// The folder to which data and accounts are exported at the end.
  var exportFolder: String?

  /// True when the file has entries for the emulators that Hearth replaces.
  var hasEmulators: Bool { ports["database"] != nil || ports["auth"] != nil }

  /// The rules file of databases without an entry of their own.
  var commonRules: String? { rules.first { $0.namespace == nil }?.path ?? (rules.count == 1 ? rules[0].path : nil) }

  /// Returns the port in the file, or the official default.
  func port(_ name: String) -> Int {
    let official = ["database": 9000, "auth": 9099, "hub": 4400]
    return ports[name].flatMap { $0 } ?? official[name] ?? 0
  }

  /// Finds the project of a folder, or of the nearest parent folder with a `firebase.json`; nil when there is none.
  ///
  /// - Parameter project: A project's id, or an alias of `.firebaserc`; nil for the default one.
  /// - Throws: ``TextFile/Failure`` that names the file, the member and the expected value.
  static func find(in folder: String, project: String? = nil) throws -> FirebaseProject? {
    guard let folder = Self.folder(above: folder) else { return nil }
    let (path, file) = (folder + "/firebase.json", folder + "/.firebaserc")
    let resources = access(file, F_OK) == 0 ? try json(file) : nil
    let name = project ?? "default"
    let known = resources?["projects"]?[name]
    if let known, known.string.map(ProjectOption.isProjectID) != true {
      throw TextFile.Failure(
        "\(file): \"projects.\(name)\" must be a project's id: 1 to 64 lower-case letters, digits, - and ., such as my-app"
      )
    }
    return try FirebaseProject(
      path: path, folder: folder, try json(path), projectID: known?.string ?? project, resources: resources)
  }

  /// Returns the folder, or the nearest parent folder, with a `firebase.json`; nil when there is none.
  static func folder(above folder: String) -> String? {
    var folder = folder
    while access(folder + "/firebase.json", F_OK) != 0 {
      guard let place = realpath(folder, nil) else { return nil }
      defer { free(place) }
      guard strcmp(place, "/") != 0 else { return nil }
      folder = folder == "." ? ".." : folder + "/.."
    }
    return folder
  }

  /// Finds the project of the working folder for `--project`, which may be an alias with any letters.
  ///
  /// - Throws: The errors of ``find(in:project:)``; `ValidationError` for a name that is neither an alias nor an id.
  static func current(named name: String?) throws -> FirebaseProject? {
    let project = try find(in: ".", project: name)
    if let id = project?.projectID ?? name { try ProjectOption.validate(id) }
    return project
  }

  init(path: String, folder: String, _ json: JSON, projectID: String?, resources: JSON?) throws {
    self.path = path
    self.projectID = projectID
    let reader = Reader(path: path, folder: folder)
    let targets = projectID.flatMap { resources?["targets"]?[$0]?["database"] }
    rules = try reader.rules(json["database"], targets: targets)
    guard let emulators = json["emulators"] else { return }
    guard let members = emulators.members else { throw reader.failure("emulators", "an object") }
    for member in members {
      switch member.name {
      case "auth", "database", "hub": ports[member.name] = .some(try reader.port(member))
      case "import": importFolder = try reader.file(member.value, "emulators.import")
      case "exportOnExit":
        exportFolder =
          member.value.bool == true ? importFolder : try reader.file(member.value, "emulators.exportOnExit")
      default: break
      }
    }
  }

  private static func json(_ path: String) throws -> JSON {
    let text = try TextFile.read(path)
    do {
      guard let json = JSON(parsing: try CommentedJSON.plain(text)), json.members != nil else {
        throw TextFile.Failure("\(path) is not a JSON object")
      }
      return json
    } catch let error as RulesError {
      throw TextFile.Failure(error.rendered(file: path))
    }
  }

  /// A reader of members that reports mistakes in them.
  private struct Reader {
    let path: String
    let folder: String

    func failure(_ member: String, _ wanted: String) -> TextFile.Failure {
      TextFile.Failure("\(path): \"\(member)\" must be \(wanted)")
    }

    func file(_ value: JSON?, _ member: String) throws -> String {
      guard let name = value?.string, !name.isEmpty else { throw failure(member, "the name of a file or folder") }
      return name.hasPrefix("/") || folder == "." ? name : folder + "/" + name
    }

    func port(_ emulator: JSON.Member) throws -> Int? {
      guard emulator.value.members != nil else { throw failure("emulators.\(emulator.name)", "an object") }
      guard let value = emulator.value["port"] else { return nil }
      let port = value.int ?? value.string.flatMap { Int64($0) }
      guard let port, (0...65_535).contains(port) else {
        throw failure("emulators.\(emulator.name).port", "1 to 65535, or 0 for any free port")
      }
      return Int(port)
    }

    /// Reads an object, or a list of objects with a database each.
    func rules(_ value: JSON?, targets: JSON?) throws -> [DatabaseRules] {
      guard let value else { return [] }
      if value.members != nil {
        guard let rules = value["rules"] else { return [] }
        return [DatabaseRules(namespace: nil, path: try file(rules, "database.rules"))]
      }
      guard let list = value.array else {
        throw failure("database", "an object with \"rules\", or a list of such objects")
      }
      return try list.enumerated().flatMap { index, entry in
        let member = "database[\(index)]"
        let path = try file(entry["rules"], member + ".rules")
        return try names(entry, member, targets).map { DatabaseRules(namespace: $0.lowercased(), path: path) }
      }
    }

    private func names(_ entry: JSON, _ member: String, _ targets: JSON?) throws -> [String] {
      if let instance = entry["instance"]?.string { return [instance] }
      guard let target = entry["target"]?.string else {
        throw failure(member, "an object with \"instance\" or \"target\", and \"rules\"")
      }
      let names = targets?[target]?.array?.compactMap(\.string) ?? []
      guard !names.isEmpty else {
        throw TextFile.Failure(
          "\(path): \(member) is for the target \"\(target)\", for which .firebaserc has no database; "
            + "add one there (firebase target:apply database \(target) NAME), or name it here with \"instance\"")
      }
      return names
    }
  }
}

extension HearthServer {
  /// Deploys the rules of a project's databases that its file names.
  ///
  /// - Throws: ``TextFile/Failure`` with the file and the place in it.
  func deployRules(of project: FirebaseProject?, _ reader: RulesReader) async throws {
    for rules in project?.rules ?? [] {
      guard let namespace = rules.namespace else { continue }
      let text = try await reader.read(rules.path)
      do { try await deployRules(text, to: namespace, from: rules.path) } catch {
        throw TextFile.Failure("\(rules.path):\(error)")
      }
    }
  }
}
