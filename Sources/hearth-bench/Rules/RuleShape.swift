import HearthRules
import HearthTree

/// One typical rule, a request that it allows, and the same rule written by hand.
struct RuleShape {
  let name: String
  /// A rules file.
  let rules: String
  let request: RulesRequest
  let closure: (RulesRequest) -> Bool

  static let now: Int64 = 1_783_800_000_000

  private static let auth = JSON.object([
    .init("uid", .string("u507")), .init("provider", .string("password")),
    .init(
      "token",
      .object([
        .init("email", .string("ann@example.com")), .init("email_verified", .bool(true)),
        .init("role", .string("editor")),
      ])),
  ])

  static func all() throws -> [RuleShape] {
    let data = try database()
    return [
      signedIn(data), owner(data), member(data), role(data), query(data), try form(data), try rateLimit(data),
      try pattern(data),
    ]
  }

  /// Rooms with members, people, and a last message for each.
  private static func database() throws -> Node {
    var root = Node.empty
    for index in 0..<1000 {
      root = root.replacing(Path("members/r\(index % 10)/u\(index)"), with: Node(.bool(true)))
      root = root.replacing(Path("last/u\(index)/at"), with: Node(.int(now - 60_000)))
    }
    return root
  }

  private static func file(_ place: [String], _ kind: String, _ rule: String) -> String {
    let text = String(decoding: JSON.string(rule).text(), as: UTF8.self)
    let grant = kind == ".validate" ? "\".write\":true," : ""
    return "{\"rules\":" + place.map { "{\"\($0)\":" }.joined() + "{\(grant)\"\(kind)\":\(text)}"
      + String(repeating: "}", count: place.count + 1)
  }

  private static func read(_ path: String, _ root: Node, _ query: Query? = nil) -> RulesRequest {
    .read(ReadRequest(path: Path(path), root: root, auth: auth, nowMilliseconds: now, query: query))
  }

  private static func write(_ path: String, _ value: String, _ root: Node) throws -> RulesRequest {
    let bytes = Array(value.utf8)
    let written = try bytes.withUnsafeBytes { bytes throws(JSONError) in
      var reader = JSONReader(bytes)
      return try reader.writeValue()
    }
    let location = Location(path: Path(path))
    let node = written.resolved(existing: root[location.path], nowMilliseconds: now)
    return .write(
      WriteRequest(
        oldRoot: root, newRoot: root.replacing(location.path, with: node), locations: [location], auth: auth,
        nowMilliseconds: now))
  }

  // MARK: Reads

  private static func signedIn(_ root: Node) -> RuleShape {
    RuleShape(
      name: "signed in", rules: file(["public"], ".read", "auth != null"), request: read("public/a", root)
    ) { request in
      guard case .read(let request) = request else { return false }
      if case .object? = request.auth { return true }
      return false
    }
  }

  private static func owner(_ root: Node) -> RuleShape {
    RuleShape(
      name: "owner only", rules: file(["users", "$uid"], ".read", "auth.uid === $uid"),
      request: read("users/u507", root)
    ) { request in
      guard case .read(let request) = request else { return false }
      return request.auth?["uid"]?.string == request.path.keys[1].text
    }
  }

  private static func member(_ root: Node) -> RuleShape {
    let rule = "auth != null && root.child('members/' + $room + '/' + auth.uid).exists()"
    let members = Key("members")
    return RuleShape(
      name: "members of a room", rules: file(["rooms", "$room"], ".read", rule), request: read("rooms/r7", root)
    ) { request in
      guard case .read(let request) = request, let uid = request.auth?["uid"]?.string else { return false }
      return !request.root.child(members).child(request.path.keys[1]).child(Key(uid)).isEmpty
    }
  }

  private static func role(_ root: Node) -> RuleShape {
    let rule = "auth.token.admin === true || auth.token.role === 'editor' && auth.token.email_verified === true"
    return RuleShape(
      name: "role claim", rules: file(["articles"], ".read", rule), request: read("articles/a", root)
    ) { request in
      guard case .read(let request) = request, let token = request.auth?["token"] else { return false }
      return token["admin"]?.bool == true || token["role"]?.string == "editor" && token["email_verified"]?.bool == true
    }
  }

  private static func query(_ root: Node) -> RuleShape {
    var query = Query(order: .key)
    query.limit = .first(50)
    return RuleShape(
      name: "limited query", rules: file(["posts"], ".read", "query.orderByKey && query.limitToFirst <= 100"),
      request: read("posts", root, query)
    ) { request in
      guard case .read(let request) = request, let query = request.query, query.order == .key,
        case .first(let count) = query.limit
      else { return false }
      return count <= 100
    }
  }

  // MARK: Writes

  private static func form(_ root: Node) throws -> RuleShape {
    let rule = """
      newData.hasChildren(['title', 'text']) && newData.child('title').isString() \
      && newData.child('title').val().length <= 80 && newData.child('text').isString() \
      && newData.child('by').val() === auth.uid
      """
    let (title, text, by) = (Key("title"), Key("text"), Key("by"))
    return RuleShape(
      name: "validated form", rules: file(["notes", "$id"], ".validate", rule),
      request: try write("notes/n1", #"{"title":"Shopping","text":"Bread and salt","by":"u507"}"#, root)
    ) { request in
      guard case .write(let request) = request, let place = request.locations.first?.path else { return false }
      let node = request.newRoot[place]
      guard case .string(let shown)? = node.child(title).scalar, case .string? = node.child(text).scalar,
        case .string(let author)? = node.child(by).scalar
      else { return false }
      return shown.utf16.count <= 80 && author == request.auth?["uid"]?.string
    }
  }

  private static func rateLimit(_ root: Node) throws -> RuleShape {
    let rule = "newData.child('at').val() === now && (!data.exists() || data.child('at').val() < now - 5000)"
    let at = Key("at")
    return RuleShape(
      name: "rate limit", rules: file(["last", "$uid"], ".write", rule),
      request: try write("last/u507", #"{"at":{".sv":"timestamp"}}"#, root)
    ) { request in
      guard case .write(let request) = request, let place = request.locations.first?.path else { return false }
      let (old, new) = (request.oldRoot[place], request.newRoot[place])
      guard case .int(request.nowMilliseconds)? = new.child(at).scalar else { return false }
      guard !old.isEmpty else { return true }
      guard case .int(let last)? = old.child(at).scalar else { return false }
      return last < request.nowMilliseconds - 5000
    }
  }

  private static func pattern(_ root: Node) throws -> RuleShape {
    RuleShape(
      name: "pattern", rules: file(["names", "$uid"], ".write", "newData.val().matches(/^[a-z0-9_]{3,20}$/)"),
      request: try write("names/u507", #""ann_of_green_gables""#, root)
    ) { request in
      guard case .write(let request) = request, let place = request.locations.first?.path,
        case .string(let name)? = request.newRoot[place].scalar
      else { return false }
      return (3...20).contains(name.utf8.count)
        && name.utf8.allSatisfy { $0 >= 0x61 && $0 <= 0x7A || $0 >= 0x30 && $0 <= 0x39 || $0 == 0x5F }
    }
  }
}
