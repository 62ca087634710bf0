import HearthSync
import HearthTree

extension DiskStore {
  func writes() throws -> [StoredWrite] {
    var writes: [StoredWrite] = []
    try read { database in
      try database.forEachRow("SELECT id, isMerge, path, body FROM write ORDER BY id") { row in
        guard let id = row.integer(0), let isMerge = row.integer(1), let path = row.blob(2), let body = row.blob(3),
          let content = StoredWrite.Content(isMerge: isMerge != 0, path: path, body: body)
        else { return log("A write that waited in \(self.path) cannot be read and is dropped") }
        writes.append(StoredWrite(id: Int(id), content: content))
      }
    }
    return writes
  }

  func save(_ write: StoredWrite) throws {
    var writer = JSONWriter()
    let (isMerge, path): (Bool, String)
    switch write.content {
    case .overwrite(let location, let value):
      (isMerge, path) = (false, location.description)
      writer.write(value, at: location)
    case .merge(let base, let writes):
      (isMerge, path) = (true, base.description)
      writer.write(raw: "{")
      for (i, item) in writes.enumerated() {
        if i > 0 { writer.write(raw: ",") }
        writer.write(String(item.location.description.dropFirst()))
        writer.write(raw: ":")
        writer.write(item.value, at: item.location)
      }
      writer.write(raw: "}")
    }
    let body = writer.bytes
    try change { database in
      try database.run(
        "INSERT OR REPLACE INTO write VALUES (?, ?, ?, ?)", .integer(write.id), .bool(isMerge),
        .blob(Array(path.utf8)), .blob(body))
    }
  }

  func removeWrite(_ id: Int) throws {
    try change { try $0.run("DELETE FROM write WHERE id = ?", .integer(id)) }
  }

  func removeAllWrites() throws { try change { try $0.run("DELETE FROM write") } }
}

extension StoredWrite.Content {
  /// Reads a row; nil when the stored write is invalid.
  fileprivate init?(isMerge: Bool, path: [UInt8], body: [UInt8]) {
    guard let location = try? Location(wire: String(decoding: path, as: UTF8.self)) else { return nil }
    let content = body.withUnsafeBytes { bytes -> StoredWrite.Content? in
      var reader = JSONReader(bytes)
      if isMerge {
        guard !location.isPriority, let writes = try? reader.merge(below: location.path.count) else { return nil }
        return .merge(location.path, writes)
      }
      guard let value = try? reader.writeValue(for: location) else { return nil }
      return .overwrite(location, value)
    }
    guard let content else { return nil }
    self = content
  }
}
