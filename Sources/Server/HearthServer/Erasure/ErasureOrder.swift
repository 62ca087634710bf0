import HearthAccounts
import HearthSystem
import HearthTree
import HearthWire

/// An order to erase an account's data: kept in a file of its own until it is done, so that an interruption does not
/// lose it.
struct ErasureOrder: Sendable, Equatable {
  /// A path of one database.
  struct Target: Sendable, Equatable {
    var database: String
    var path: Path
  }

  /// The order's id in responses and in the audit trail, where the user is not named.
  var number: String
  var uid: String
  /// The tenant of the account; nil for the project itself.
  var tenant: String?
  /// The administrator that gave the order, as named by the credential; nil when that names none.
  var requester: String?
  /// The paths at and below which all data is erased, current and past.
  var places: [Target]
  /// True when no data is changed, and the order is not stored.
  var isDryRun: Bool

  /// The maximum number of paths in one order: enough for manual input, or a script that knows an app's structure.
  static let placesMax = 1_000
  /// The maximum size of a uid in bytes, as everywhere.
  static let uidBytesMax = 512

  /// Reads what `json` returned; nil when it is not an order.
  init?(_ json: JSON) {
    guard let number = json["number"]?.string, Self.isNumber(number), let uid = json["uid"]?.string, !uid.isEmpty,
      uid.utf8.count <= Self.uidBytesMax, let list = json["places"]?.array, list.count <= Self.placesMax,
      let isDryRun = (json["dryRun"] ?? .bool(false)).bool
    else { return nil }
    if let tenant = json["tenantId"] {
      guard let id = tenant.string, TenantRecord.isID(id) else { return nil }
      self.tenant = id
    }
    var places: [Target] = []
    for place in list {
      guard let database = place["database"]?.string, Namespace.isValid(database), let text = place["path"]?.string,
        let location = try? Location(wire: text), !location.isPriority, !location.path.isRoot
      else { return nil }
      places.append(Target(database: database, path: location.path))
    }
    (self.number, self.uid, self.places, self.isDryRun) = (number, uid, places, isDryRun)
    requester = json["by"]?.string
  }

  /// The order in JSON.
  var json: JSON {
    var json: JSON = ["number": .string(number), "uid": .string(uid)]
    if let tenant { json["tenantId"] = .string(tenant) }
    if let requester { json["by"] = .string(requester) }
    let list = places.map { place in
      ["database": .string(place.database), "path": .string(place.path.description)] as JSON
    }
    return json.appending(["places": .array(list)])
  }

  /// Returns true when the text can be a number, and so a file name.
  static func isNumber(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
      }
  }
}

/// The files of the unfinished orders, one each.
struct ErasureFiles: Sendable {
  private static let suffix = ".json"
  /// The suffix of a file that an interruption left half written.
  private static let unfinishedSuffix = ".json.new"
  private static let bytesMax = 4 << 20
  let folder: String

  func keep(_ order: ErasureOrder) throws(AtomicFile.Problem) { try file(order.number).write(order.json.text()) }

  /// Removes the file of an order.
  ///
  /// - Returns: false when the file still exists.
  func remove(_ order: ErasureOrder) -> Bool { file(order.number).remove() }

  /// Returns the unfinished orders, in order of number, and the names of unreadable files; half-written files are
  /// removed.
  func waiting() throws(AtomicFile.Problem) -> (orders: [ErasureOrder], unreadable: [String]) {
    var (orders, unreadable): ([ErasureOrder], [String]) = ([], [])
    let names = try AtomicFile.names(in: folder).sorted()
    for name in names where name.hasSuffix(Self.unfinishedSuffix) {
      if !AtomicFile(folder: folder, name: name).remove() { unreadable.append(name) }
    }
    for name in names where name.hasSuffix(Self.suffix) {
      let bytes = try AtomicFile(folder: folder, name: name).read(bytesMax: Self.bytesMax)
      if let bytes, let json = JSON(parsing: bytes), let order = ErasureOrder(json) {
        orders.append(order)
      } else {
        unreadable.append(name)
      }
    }
    return (orders, unreadable)
  }

  private func file(_ number: String) -> AtomicFile { AtomicFile(folder: folder, name: number + Self.suffix) }
}
