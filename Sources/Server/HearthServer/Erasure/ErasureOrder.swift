import HearthAccounts
import HearthSystem
import HearthTree
import HearthWire

/// What is to be erased: kept in a file of its own until it is, so that an end in the middle loses nothing of it.
struct ErasureOrder: Sendable, Equatable {
  /// A place of one database.
  struct Place: Sendable, Equatable {
    var database: String
    var path: Path
  }

  /// Names the erasure in answers and in the audit trail, where the person is not named.
  var number: String
  var uid: String
  /// Whose account it is, of the project's tenants; nil for one of the project itself.
  var tenant: String?
  /// The administrator whose order it is, as the credential names them; nil when nobody knows.
  var orderer: String?
  /// What is at or below them goes, now and in the past.
  var places: [Place]
  /// Nothing is changed, and the order is not kept.
  var isDryRun: Bool

  /// Places of one order: what a person types, or a script knows of an app's structure.
  static let placesMax = 1_000
  /// A uid as long as any.
  static let uidBytesMax = 512

  /// Reads what `json` wrote; nil when it is something else.
  init?(_ json: JSON) {
    guard let number = json["number"]?.string, Self.isNumber(number), let uid = json["uid"]?.string, !uid.isEmpty,
      uid.utf8.count <= Self.uidBytesMax, let list = json["places"]?.array, list.count <= Self.placesMax,
      let isDryRun = (json["dryRun"] ?? .bool(false)).bool
    else { return nil }
    if let tenant = json["tenantId"] {
      guard let id = tenant.string, TenantRecord.isID(id) else { return nil }
      self.tenant = id
    }
    var places: [Place] = []
    for place in list {
      guard let database = place["database"]?.string, Namespace.isValid(database), let text = place["path"]?.string,
        let location = try? Location(wire: text), !location.isPriority, !location.path.isRoot
      else { return nil }
      places.append(Place(database: database, path: location.path))
    }
    (self.number, self.uid, self.places, self.isDryRun) = (number, uid, places, isDryRun)
    orderer = json["by"]?.string
  }

  /// The order in JSON.
  var json: JSON {
    var json: JSON = ["number": .string(number), "uid": .string(uid)]
    if let tenant { json["tenantId"] = .string(tenant) }
    if let orderer { json["by"] = .string(orderer) }
    let list = places.map { place in
      ["database": .string(place.database), "path": .string(place.path.description)] as JSON
    }
    return json.appending(["places": .array(list)])
  }

  /// Names a file.
  static func isNumber(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
      }
  }
}

/// The orders that are not done yet, one file each.
struct ErasureFiles: Sendable {
  private static let suffix = ".json"
  /// What an interruption leaves of a file that was being written.
  private static let unfinishedSuffix = ".json.new"
  private static let bytesMax = 4 << 20
  let folder: String

  func keep(_ order: ErasureOrder) throws(WholeFile.Problem) { try file(order.number).write(order.json.text()) }

  /// - Returns: false when it is still there.
  func remove(_ order: ErasureOrder) -> Bool { file(order.number).remove() }

  /// Those that were not finished, in order of number. What cannot be read is named; what was never taken is removed.
  func waiting() throws(WholeFile.Problem) -> (orders: [ErasureOrder], unreadable: [String]) {
    var (orders, unreadable): ([ErasureOrder], [String]) = ([], [])
    let names = try WholeFile.names(in: folder).sorted()
    for name in names where name.hasSuffix(Self.unfinishedSuffix) {
      if !WholeFile(folder: folder, name: name).remove() { unreadable.append(name) }
    }
    for name in names where name.hasSuffix(Self.suffix) {
      let bytes = try WholeFile(folder: folder, name: name).read(bytesMax: Self.bytesMax)
      if let bytes, let json = JSON(parsing: bytes), let order = ErasureOrder(json) {
        orders.append(order)
      } else {
        unreadable.append(name)
      }
    }
    return (orders, unreadable)
  }

  private func file(_ number: String) -> WholeFile { WholeFile(folder: folder, name: number + Self.suffix) }
}
