import HearthRules
import HearthTree

/// A search among random requests composed of the vocabulary of the rules, for questions for which neither a proof nor
/// a request was found otherwise. The requests are the same for the same question on every machine.
struct RandomRequestSearch {
  private let target: SearchTarget
  private let owners: Set<Int>
  private let words: Vocabulary
  private var state: UInt64 = 0x5EED

  init(_ target: SearchTarget, owners: Set<Int>, _ languages: Languages) {
    self.target = target
    self.owners = owners
    words = Vocabulary(target.location.chains, languages, nowMilliseconds: target.nowMilliseconds)
  }

  /// Returns a request that meets the target according to the evaluator; nil when none of a few hundred does.
  mutating func request() -> ExposureWitness? {
    for _ in 0..<ExposureLimits.guessesMax {
      guard let witness = guess(), target.accepts(witness) else { continue }
      var shrinker = WitnessShrinker(target)
      return shrinker.shrunk(witness)
    }
    return nil
  }

  /// Returns a random number below `sides`, by SplitMix64.
  private mutating func roll(_ sides: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    z ^= z >> 31
    return Int(truncatingIfNeeded: z >> 1) % max(1, sides)
  }

  private mutating func pick<Element>(_ list: [Element]) -> Element { list[roll(list.count)] }

  private mutating func guess() -> ExposureWitness? {
    let names = words.keys + words.texts.filter { Key($0).problem == nil }
    let uid = roll(4) == 0 ? pick(words.texts + ["bob"]) : pick(names + ["bob", "bob"])
    guard !uid.isEmpty, uid.utf16.count <= 128 else { return nil }
    var keys: [String] = []
    for (index, step) in target.location.steps.enumerated() {
      switch step {
      case .key(let key): keys.append(key)
      case .wildcard(_, let excluded):
        let key = roll(3) == 0 ? uid : pick(names + ["k"])
        guard Key(key).problem == nil, !excluded.contains(key) else { return nil }
        if target.identity == .otherUser, owners.contains(index), Text.areEqual(key, uid) { return nil }
        keys.append(key)
      }
    }
    if target.keys.count > keys.count {
      let named = (target.location.chains.compactMap { $0.last ?? nil }).flatMap { $0.children.list.map(\.key.text) }
      guard let free = ["x", "y", "z", "w1"].first(where: { !named.contains($0) }) else { return nil }
      keys.append(free)
    }
    let path = Path(keys.map { Key($0) })
    var witness = ExposureWitness(
      auth: auth(uid), data: tree(keys + words.keys + [uid], depth: 4), path: path, changes: [],
      nowMilliseconds: target.nowMilliseconds, query: nil)
    // Values on the path of the request are more likely than elsewhere.
    if roll(2) == 0 { witness.data = witness.data.replacing(path, with: tree(words.keys, depth: 2)) }
    switch target.form {
    case .read: break
    case .delete: witness.changes = [.init(path: path, value: .empty)]
    case .set:
      let value = tree(words.keys + [uid], depth: roll(3))
      if value.isEmpty { return nil }
      witness.changes = [.init(path: path, value: value)]
    case .priority:
      witness.changes = [.init(path: path, value: witness.data[path].with(priority: .int(1)), isPriority: true)]
    }
    return witness
  }

  private mutating func tree(_ keys: [String], depth: Int) -> Node {
    if depth == 0 || roll(5) == 0 { return leaf() }
    var node = Node.empty
    for _ in 0..<(1 + roll(4)) {
      let key = Key(pick(keys))
      if key.problem == nil { node = node.replacing(key, with: tree(keys, depth: depth - 1)) }
    }
    return node
  }

  private mutating func leaf() -> Node {
    switch roll(6) {
    case 0: .empty
    case 1: Node(.bool(roll(2) == 0))
    case 2, 3: Node(Term.number(pick(words.numbers)).scalar ?? .int(0))
    default: Node(.string(pick(words.texts + words.keys)))
    }
  }

  private mutating func auth(_ uid: String) -> JSON? {
    guard target.identity != .signedOut else { return nil }
    let types = target.identity.claims
    var members: [(names: [String], value: Scalar)] = []
    for names in words.claims {
      let allowed = types.types(types.canonical([Key("token")] + names.map { Key($0) }))
      if allowed.contains(.bool) {
        members.append((names, .bool(roll(2) == 0)))
      } else if allowed.contains(.number) {
        members.append((names, Term.number(pick(words.numbers)).scalar ?? .int(0)))
      } else if allowed.contains(.text), names != ["sub"], names != ["user_id"], names.first != "firebase" {
        members.append((names, .string(pick(words.texts))))
      }
    }
    if case .holder(let names, let value) = target.identity {
      members.removeAll { $0.names == names }
      members.append((names, value))
    }
    return .auth(
      uid: uid, provider: pick(["password", "anonymous"] + words.texts.filter { !$0.isEmpty }), claims: members)
  }
}
