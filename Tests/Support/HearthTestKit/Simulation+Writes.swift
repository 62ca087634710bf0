import HearthEngine
import HearthTree

/// Generators of writes in a ``Simulation``.
extension Simulation {
  mutating func room() -> String { "r\(random.below(SimulationRules.roomCount))" }

  /// Returns a write of a user: a message or a note.
  mutating func randomWrite() -> WriteOperation.Change {
    let base = "rooms/\(room())"
    let place = random.pick(["\(base)/m\(random.below(3))", "\(base)/notes/n\(random.below(3))", "\(base)/notes", base])
    if random.isOne(in: 3) { return merge(base, ["m0", "notes/n0", "notes/n1", "open", "m1/deep", ".priority"]) }
    return put(place)
  }

  /// Returns a write of messages in one of two rooms: one message, several, or a part of one.
  mutating func randomMessageWrite() -> WriteOperation.Change {
    let base = "rooms/r\(random.below(2))"
    switch random.below(6) {
    case 0: return merge(base, ["m1", "m2/m0", "m3", "m4/.priority", "m5", "m6/open", "7", "m8"])
    case 1: return put("\(base)/m\(random.below(10))/.priority")
    case 2: return put("\(base)/m\(random.below(10))/m0")
    default: return put("\(base)/\(random.isOne(in: 4) ? "" : "m")\(random.below(10))")
    }
  }

  /// Returns a random location at which listens and reads may occur.
  mutating func randomLocation() -> Location {
    let base = "rooms/\(room())"
    return Self.location(
      random.pick(["\(base)/m\(random.below(3))", "\(base)/notes/n0", "\(base)/notes", base, "\(base)/.priority"]))
  }

  /// Returns a write that changes read permissions (members, bans, levels, time limits) or any other data.
  mutating func randomAdministrationWrite() -> WriteOperation.Change {
    let (room, uid) = (room(), random.pick(Self.uids))
    switch random.below(14) {
    case 0..<4: return put("members/\(room)/\(uid)")
    case 4: return put("members/\(room)")
    case 5: return put("members/\(room)/.priority")
    case 6: return merge("members", ["\(room)/u0", "\(room)/u1", "r0/u2", "r1", "\(room)/.priority"])
    case 7: return put("banned/\(uid)")
    case 8: return .put(Location(path: Path("levels/\(room)")), WriteValue(Node(.int(Int64(random.below(4))))))
    case 9:
      let until = now.wallMilliseconds + Int64(random.below(2_000)) - 200
      return .put(Location(path: Path("until/\(room)")), WriteValue(Node(.int(until))))
    case 10:
      let gone = WriteOperation.Change.put(Location(path: Path("admins/\(uid)")), WriteValue(.empty))
      return random.isOne(in: 3) ? put("admins/\(uid)") : gone
    case 11: return put("rooms/\(room)/open")
    case 12: return merge("", ["members/\(room)/\(uid)", "rooms/\(room)/m1", "banned/\(uid)"])
    default:
      let large = random.pick(["", "rooms", "members", "levels", "until"])
      return put(random.isOne(in: 4) ? large : "rooms/\(room)")
    }
  }

  /// A write of so much data at the root and in the rooms that they have several pages.
  static var padding: WriteOperation.Change {
    let text = WriteValue(Node(.string(String(repeating: "padding ", count: 20))))
    let places = ["c", "lz", "n", "s", "rooms/a", "rooms/s", "members/a", "members/s"]
    return .merge(
      .root,
      places.flatMap { place in
        (0..<8).map { Write(location: Location(path: Path("\(place)\($0)")), value: text) }
      })
  }

  private mutating func put(_ path: String) -> WriteOperation.Change {
    let location = Self.location(path)
    return .put(location, WriteValue(value(at: location, depth: 2)))
  }

  private mutating func merge(_ path: String, _ places: [String]) -> WriteOperation.Change {
    var writes: [Write] = []
    for place in places where random.isOne(in: 2) {
      let location = Self.location(place)
      let isFree = writes.allSatisfy { !$0.location.isWithin(location) && !location.isWithin($0.location) }
      if isFree { writes.append(Write(location: location, value: WriteValue(value(at: location, depth: 1)))) }
    }
    return .merge(Path(path), writes)
  }

  private static func location(_ place: String) -> Location {
    let isPriority = place.hasSuffix(".priority")
    return Location(path: Path(isPriority ? String(place.dropLast(9)) : place), isPriority: isPriority)
  }

  private mutating func value(at location: Location, depth: Int) -> Node {
    location.isPriority ? Node(.string(random.pick(["open", "shut"]))) : value(depth: depth)
  }

  /// Returns a small value; often true, often null.
  private mutating func value(depth: Int) -> Node {
    let priority: Scalar? = random.isOne(in: 6) ? .string(random.pick(["open", "shut"])) : nil
    switch random.below(depth > 0 ? 8 : 6) {
    case 0, 1: return Node(.bool(true), priority: priority)
    case 2: return Node(.int(Int64(random.below(3))), priority: priority)
    case 3: return Node(.string("text"), priority: priority)
    case 4, 5: return .empty
    default:
      var node = Node.empty
      for key in ["u0", "u1", "m0", "notes", "open", "r0"] where random.isOne(in: 2) {
        node = node.replacing(Path(key), with: value(depth: depth - 1))
      }
      return node.with(priority: priority)
    }
  }
}

extension Location {
  /// True when a write to `other` would also write this location.
  fileprivate func isWithin(_ other: Location) -> Bool {
    other.isPriority ? self == other : other.path.contains(path)
  }
}
