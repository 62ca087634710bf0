import HearthRules
import HearthTree

/// A builder of requests from the facts of a branch, which tries them until one meets the target.
struct RequestBuilder {
  private let target: SearchTarget
  private let table: TermTable
  private let texts: TextSolver

  init(_ target: SearchTarget, _ table: TermTable, _ texts: TextSolver) {
    self.target = target
    self.table = table
    self.texts = texts
  }

  /// Returns a request that meets the target according to the evaluator; nil when none of the tried ones does.
  func request(_ facts: Facts, others: [WrittenPlace] = []) -> ExposureWitness? {
    for preference in ModelBuilder.Preference.all {
      var model = ModelBuilder(facts, texts, preference, nowMilliseconds: target.nowMilliseconds)
      guard model.build() else { continue }
      for witness in requests(model.facts, others) where target.accepts(witness) {
        return shrunk(witness)
      }
    }
    return nil
  }

  private func shrunk(_ witness: ExposureWitness) -> ExposureWitness {
    var shrinker = WitnessShrinker(target)
    return shrinker.shrunk(witness)
  }

  private func requests(_ facts: Facts, _ others: [WrittenPlace]) -> [ExposureWitness] {
    var keys: [Key] = []
    for key in target.keys {
      guard let text = facts.constantText(key) else { return [] }
      keys.append(Key(text))
    }
    let path = Path(keys)
    var witness = ExposureWitness(
      auth: auth(facts), data: tree(.old, facts, below: []).node(filler: Self.fillers), path: path, changes: [],
      nowMilliseconds: now(facts), query: nil)
    switch target.form {
    case .read:
      witness.query = query(facts)
      return [witness]
    case .delete:
      witness.changes = [.init(path: path, value: .empty)] + changes(others, facts)
      return [witness]
    case .priority:
      let priority = scalar(table.intern(.priority(.new, target.change.place)), facts)
      witness.changes = [.init(path: path, value: witness.data[path].with(priority: priority), isPriority: true)]
      return [witness]
    case .set:
      let value = tree(.new, facts, below: keys)
      return valueFillers.map { filler in
        var next = witness
        next.changes = [.init(path: path, value: value.node(filler: filler))] + changes(others, facts)
        return next
      }
    }
  }

  /// Returns the changes of the other paths of an update.
  private func changes(_ others: [WrittenPlace], _ facts: Facts) -> [ExposureWitness.Change] {
    others.compactMap { other in
      guard let keys = path(other.place, facts) else { return nil }
      return .init(path: Path(keys), value: tree(.new, facts, below: keys).node(filler: Self.fillers))
    }
  }

  private static let fillers: [Key] = ["x", "y", "z", "x1", "y1", "z1"]

  /// The keys for a child of the written value: first one without validate rules, then each key that the rules name.
  private var valueFillers: [[Key]] {
    let named = (target.allowed.last ?? nil)?.children.list.prefix(8).map { [$0.key] } ?? []
    return [Self.fillers] + named
  }

  // MARK: Trees

  private func tree(_ side: Side, _ facts: Facts, below keys: [Key]) -> TreeDraft {
    let draft = TreeDraft()
    for term in facts.active {
      switch table[term] {
      case .value(side, let place):
        guard let path = path(place, facts), path.starts(with: keys) else { continue }
        let types = facts.types(term)
        if types == .object { draft[path.dropFirst(keys.count)].isObject = true }
        if let scalar = scalar(term, facts) { draft[path.dropFirst(keys.count)].scalar = scalar }
      case .priority(side, let place):
        guard let path = path(place, facts), path.starts(with: keys), let scalar = scalar(term, facts) else { continue }
        draft[path.dropFirst(keys.count)].priority = scalar
      default: break
      }
    }
    return draft
  }

  private func path(_ place: PlaceID, _ facts: Facts) -> [Key]? {
    var keys: [Key] = []
    let canonical = facts.canonical(place)
    for segment in table.places[canonical].segments {
      guard let key = segment.key, let text = facts.constantText(key), Key(text).problem == nil else { return nil }
      keys.append(Key(text))
    }
    return keys.count <= DataLimits.depthMax ? keys : nil
  }

  private func scalar(_ term: TermID, _ facts: Facts) -> Scalar? {
    guard let constant = facts.constant(term) else { return nil }
    return table[constant].scalar
  }

  // MARK: The rest of a request

  private func now(_ facts: Facts) -> Int64 {
    guard let now = facts.constantNumber(table.intern(.now)), let exact = Int64(exactly: now.rounded(.up)) else {
      return target.nowMilliseconds
    }
    return exact
  }

  private func auth(_ facts: Facts) -> JSON? {
    guard target.identity != .signedOut else { return nil }
    let uid = facts.constantText(table.intern(.claim(["uid"]))) ?? "bob"
    let provider = facts.constantText(table.intern(.claim(["provider"]))) ?? "password"
    var knownClaims: [(names: [String], value: Scalar)] = []
    if case .holder(let names, let value) = target.identity { knownClaims.append((names, value)) }
    let isFree = target.identity == .anyAuth
    var auth = isFree ? [:] as JSON : .auth(uid: uid, provider: provider, claims: knownClaims)
    for term in facts.active {
      guard case .claim(let names) = table[term], names.count > (isFree ? 0 : 1) else { continue }
      if let scalar = scalar(term, facts) {
        auth.set(names.map(\.text), JSON(scalar))
      } else if facts.types(term) == .object, names.count > (isFree ? 0 : 2) {
        auth.set(names.map(\.text) + ["x"], .bool(true))
      }
    }
    if auth.members?.isEmpty == true {
      // A token without claims would not identify a user.
      let mayHaveUID = facts.types(table.intern(.claim(["uid"]))).contains(.text)
      auth.set([mayHaveUID ? "uid" : "name"], .string(uid))
    }
    return auth
  }

  private func query(_ facts: Facts) -> Query? {
    func value(_ field: QueryField) -> Value? {
      facts.constant(table.intern(.query(field))).flatMap { table[$0].constant }
    }
    var query = Query()
    if case .bool(true) = value(.orderByKey) { query.order = .key }
    if case .bool(true) = value(.orderByValue) { query.order = .value }
    if case .bool(true) = value(.orderByPriority) { query.order = .priority }
    if case .string(let path) = value(.orderByChild) { query.order = .child(Path(path)) }
    func bound(_ field: QueryField) -> Query.Bound? {
      facts.constant(table.intern(.query(field))).flatMap { table[$0].scalar }.map { Query.Bound(value: $0) }
    }
    (query.start, query.end) = (bound(.startAt), bound(.endAt))
    if let equal = bound(.equalTo) { (query.start, query.end) = (equal, equal) }
    func count(_ field: QueryField) -> Int? {
      if case .number(let value) = value(field) { Int(exactly: value.rounded(.down)).map { max(1, $0) } } else { nil }
    }
    if let first = count(.limitToFirst) { query.limit = .first(first) }
    if let last = count(.limitToLast) { query.limit = .last(last) }
    return query == Query() ? nil : query
  }
}

extension Term {
  /// The constant as stored data; nil for null and for other terms.
  var scalar: Scalar? {
    switch self {
    case .bool(let value): .bool(value)
    case .number(let value): Int64(exactly: value).map { .int($0) } ?? (value.isFinite ? .double(value) : nil)
    case .text(let text): .string(text.text)
    default: nil
    }
  }
}
