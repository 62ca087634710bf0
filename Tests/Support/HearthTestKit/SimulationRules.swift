import HearthRules
import HearthTree
import RandomTestKit

/// A kind of read rule in two forms: the text for the engine, and a function with its meaning.
///
/// The functions are plain Swift over a plain tree, so that the checker depends on no part of the rules engine.
/// Together they use every operator that reads data.
package enum SimulationPolicy: CaseIterable, Sendable {
  case memberExists, memberIsTrue, hasChild, hasChildren, memberCount, priority, isString, isNumber, notBanned, level
  case parent, ownData, clock, allowAll, denyAll, queryLimit, queryOrder, queryAndData

  /// The expression for a room.
  var text: String {
    switch self {
    case .memberExists: "root.child('members/' + $room + '/' + auth.uid).exists()"
    case .memberIsTrue: "root.child('members').child($room).child(auth.uid).val() === true"
    case .hasChild: "root.child('members/' + $room).hasChild(auth.uid)"
    case .hasChildren: "root.child('members/' + $room).hasChildren()"
    case .memberCount: "root.child('members/' + $room).hasChildren(['u0', 'u1'])"
    case .priority: "root.child('members/' + $room).getPriority() == 'open'"
    case .isString: "root.child('members/' + $room + '/u0').isString()"
    case .isNumber: "root.child('members/' + $room + '/u1').isNumber() || auth.uid == 'u1'"
    case .notBanned: "auth != null && !root.child('banned/' + auth.uid).exists()"
    case .level: "auth.token.level >= root.child('levels/' + $room).val()"
    case .parent: "data.parent().parent().child('members').child($room).child(auth.uid).exists()"
    case .ownData: "data.child('open').val() == true"
    case .clock: "now < root.child('until/' + $room).val()"
    case .allowAll: "true"
    case .denyAll: "false"
    case .queryLimit: "query.limitToLast <= 2"
    case .queryOrder: "query.orderByChild == 'm0' || query.orderByKey"
    case .queryAndData: "query.limitToFirst <= 2 && root.child('members/' + $room).hasChildren()"
    }
  }

  var readsTime: Bool { self == .clock }

  /// True when the rule reads `query.…`.
  package var readsQuery: Bool { [.queryLimit, .queryOrder, .queryAndData].contains(self) }

  /// Returns true when the rule allows the read; an error in the expression denies it.
  func allows(
    _ room: String, _ tree: SimulationTree, _ user: SimulationUser?, _ query: Query?, wallMilliseconds: Int64
  ) -> Bool {
    let members = tree["members/\(room)"]
    func member(_ uid: String?) -> SimulationTree { uid.map { members[$0] } ?? SimulationTree() }
    switch self {
    case .memberExists, .hasChild, .parent: return user != nil && !member(user?.uid).isEmpty
    case .memberIsTrue: return user != nil && member(user?.uid).scalar == .bool(true)
    case .hasChildren: return !members.children.isEmpty
    case .memberCount: return !member("u0").isEmpty && !member("u1").isEmpty
    case .priority: return members.priority == .string("open")
    case .isString: if case .string? = member("u0").scalar { return true } else { return false }
    case .isNumber: return member("u1").scalar?.number != nil || user?.uid == "u1"
    case .notBanned: return user.map { tree["banned/\($0.uid)"].isEmpty } ?? false
    case .level:
      guard let user, let level = tree["levels/\(room)"].scalar?.number else { return false }
      return Double(user.level) >= level
    case .ownData: return tree["rooms/\(room)/open"].scalar == .bool(true)
    case .clock: return tree["until/\(room)"].scalar?.number.map { Double(wallMilliseconds) < $0 } ?? false
    case .allowAll: return true
    case .denyAll: return false
    case .queryLimit: if case .last(let count)? = query?.limit { return count <= 2 } else { return false }
    case .queryOrder:
      guard let query else { return false }
      let isBare = query.order == nil && (query.start != nil || query.end != nil || query.limit != nil)
      return isBare || query.order == .key || query.order == .child(Path("m0"))
    case .queryAndData:
      guard case .first(let count)? = query?.limit else { return false }
      return count <= 2 && !members.children.isEmpty
    }
  }
}

/// A signed-in user.
struct SimulationUser: Equatable {
  var uid: String
  var level: Int
  var isAdministrator = false
}

/// A rules file: a policy for each room and one for its notes, and administrators with permission to read all data.
package struct SimulationRules: Sendable {
  static let roomCount = 4

  let rooms: [SimulationPolicy]
  let notes: [SimulationPolicy]
  /// The declared indexes of the rooms, as texts.
  let roomIndexes: [String]

  init(_ policies: [SimulationPolicy], _ random: inout SeededRandom) {
    var pick: [SimulationPolicy] = []
    for _ in 0..<2 * Self.roomCount { pick.append(random.pick(policies)) }
    rooms = Array(pick[..<Self.roomCount])
    notes = Array(pick[Self.roomCount...])
    var indexes: [String] = []
    for index in [".value", "m0", "notes/n0"] where random.isOne(in: 2) { indexes.append(index) }
    roomIndexes = indexes
  }

  var source: String {
    func room(_ i: Int) -> String {
      // The wildcard names the room in the texts; a literal key would shadow it, so rooms differ by condition.
      "($room == 'r\(i)' && (\(rooms[i].text)))"
    }
    func note(_ i: Int) -> String {
      "($room == 'r\(i)' && (\(notes[i].text.replacing("data.", with: "data.parent()."))))"
    }
    let all = 0..<Self.roomCount
    return """
      {"rules": {
        ".read": "root.child('admins/' + auth.uid).exists()",
        ".write": "auth != null",
        "rooms": {"$room": {
          ".read": "\(all.map(room).joined(separator: " || "))",
          ".indexOn": [\(roomIndexes.map { "\"\($0)\"" }.joined(separator: ","))],
          "notes": {".read": "\(all.map(note).joined(separator: " || "))"}
        }},
        "banned": {".read": true}
      }}
      """
  }

  /// Returns whether a user may read a path, and whether the result may depend on the time.
  func allows(
    _ path: [String], _ tree: SimulationTree, _ user: SimulationUser?, _ query: Query?, wallMilliseconds: Int64
  ) -> Bool {
    if let user, user.isAdministrator || !tree["admins/\(user.uid)"].isEmpty { return true }
    if path.first == "banned" { return true }
    return policies(for: path).contains { $0.allows(path[1], tree, user, query, wallMilliseconds: wallMilliseconds) }
  }

  /// Returns true when a one-off read may use the order.
  func declares(_ order: Query.Order?, at path: [String]) -> Bool {
    let isRoom = path.count == 2 && path[0] == "rooms"
    switch order {
    case nil, .key?, .priority?: return true
    case .value?: return isRoom && roomIndexes.contains(".value")
    case .child(let child)?: return isRoom && roomIndexes.contains(child.keys.map(\.text).joined(separator: "/"))
    }
  }

  func readsTime(_ path: [String]) -> Bool { policies(for: path).contains(where: \.readsTime) }

  private func policies(for path: [String]) -> [SimulationPolicy] {
    guard path.count >= 2, path[0] == "rooms", let room = Int(path[1].dropFirst()) else { return [] }
    return path.count > 2 && path[2] == "notes" ? [rooms[room], notes[room]] : [rooms[room]]
  }
}
