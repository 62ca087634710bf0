import HearthRules
import HearthTree

/// A typical rule, a request that it allows, and an equivalent function in Swift.
struct RuleShape {
  let name: String
  /// The rules file.
  let rules: String
  let sample: Sample

  /// A request, further requests that compare the closure with the rules, and the closure. It decides like the rules
  /// file from the request's path, `auth` and data, and knows nothing in advance.
  enum Sample {
    case read(ReadRequest, others: [ReadRequest], closure: (ReadRequest) -> Bool)
    case write(WriteRequest, others: [WriteRequest], closure: (WriteRequest) -> Bool)
  }

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

  /// Returns a database with rooms and their members, people, and the last message of each room.
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

  private static func read(
    _ path: String, _ root: Node, _ query: Query? = nil, as auth: JSON? = RuleShape.auth
  ) -> ReadRequest {
    ReadRequest(path: Path(path), root: root, auth: auth, nowMilliseconds: now, query: query)
  }

  private static func write(
    _ path: String, _ value: String, _ root: Node, as auth: JSON? = RuleShape.auth
  ) throws -> WriteRequest {
    let bytes = Array(value.utf8)
    let written = try bytes.withUnsafeBytes { bytes throws(JSONError) in
      var reader = JSONReader(bytes)
      return try reader.writeValue()
    }
    let location = Location(path: Path(path))
    let node = written.resolved(existing: root[location.path], nowMilliseconds: now)
    return WriteRequest(
      oldRoot: root, newRoot: root.replacing(location.path, with: node), locations: [location], auth: auth,
      nowMilliseconds: now)
  }

  /// A user without claims.
  private static let other = JSON.object([.init("uid", .string("u8")), .init("token", .object([]))])

  // MARK: Reads

  private static func signedIn(_ root: Node) -> RuleShape {
    let place = Key("public")
    return RuleShape(
      name: "signed in", rules: file(["public"], ".read", "auth != null"),
      sample: .read(
        read("public/a", root),
        others: [read("public", root), read("public/a", root, as: nil), read("private/a", root), read("", root)],
        closure: { request in
          guard request.path.keys.first == place else { return false }
          return request.auth != nil
        }))
  }

  private static func owner(_ root: Node) -> RuleShape {
    let users = Key("users")
    return RuleShape(
      name: "owner only", rules: file(["users", "$uid"], ".read", "auth.uid === $uid"),
      sample: .read(
        read("users/u507", root),
        others: [
          read("users/u507/mail", root), read("users/u8", root), read("users", root), read("u507/u507", root),
          read("users/u507", root, as: nil), read("users/u8", root, as: other),
        ],
        closure: { request in
          guard request.path.count >= 2, request.path.keys[0] == users,
            let uid = request.auth?["uid"]?.string
          else { return false }
          return Key(uid) == request.path.keys[1]
        }))
  }

  private static func member(_ root: Node) -> RuleShape {
    let rule = "auth != null && root.child('members/' + $room + '/' + auth.uid).exists()"
    let (rooms, members) = (Key("rooms"), Key("members"))
    return RuleShape(
      name: "members of a room", rules: file(["rooms", "$room"], ".read", rule),
      sample: .read(
        read("rooms/r7", root),
        others: [
          read("rooms/r7/messages", root), read("rooms/r6", root), read("rooms", root), read("members/r7", root),
          read("rooms/r7", root, as: nil), read("rooms/r8", root, as: other),
        ],
        closure: { request in
          guard request.path.count >= 2, request.path.keys[0] == rooms,
            let uid = request.auth?["uid"]?.string
          else { return false }
          return !request.root.child(members).child(request.path.keys[1]).child(Key(uid)).isEmpty
        }))
  }

  private static func role(_ root: Node) -> RuleShape {
    let rule = "auth.token.admin === true || auth.token.role === 'editor' && auth.token.email_verified === true"
    let articles = Key("articles")
    return RuleShape(
      name: "role claim", rules: file(["articles"], ".read", rule),
      sample: .read(
        read("articles/a", root),
        others: [
          read("articles", root), read("notes/a", root), read("articles/a", root, as: nil),
          read("articles/a", root, as: other),
        ],
        closure: { request in
          guard request.path.keys.first == articles,
            let token = request.auth?["token"]
          else { return false }
          return token["admin"]?.bool == true
            || token["role"]?.string == "editor" && token["email_verified"]?.bool == true
        }))
  }

  private static func query(_ root: Node) -> RuleShape {
    var (query, large) = (Query(order: .key), Query(order: .key))
    (query.limit, large.limit) = (.first(50), .first(500))
    let posts = Key("posts")
    return RuleShape(
      name: "limited query", rules: file(["posts"], ".read", "query.orderByKey && query.limitToFirst <= 100"),
      sample: .read(
        read("posts", root, query),
        others: [
          read("posts", root), read("posts", root, large), read("posts", root, Query(order: .value, limit: .first(5))),
          read("notes", root, query), read("posts", root, query, as: nil),
        ],
        closure: { request in
          guard request.path.keys.first == posts, let query = request.query,
            query.order == .key, case .first(let count) = query.limit
          else { return false }
          return count <= 100
        }))
  }

  // MARK: Writes

  private static func form(_ root: Node) throws -> RuleShape {
    let rule = """
      newData.hasChildren(['title', 'text']) && newData.child('title').isString() \
      && newData.child('title').val().length <= 80 && newData.child('text').isString() \
      && newData.child('by').val() === auth.uid
      """
    let (notes, title, text, by) = (Key("notes"), Key("title"), Key("text"), Key("by"))
    let value = #"{"title":"Shopping","text":"Bread and salt","by":"u507"}"#
    return RuleShape(
      name: "validated form", rules: file(["notes", "$id"], ".validate", rule),
      sample: .write(
        try write("notes/n1", value, root),
        others: [
          try write("notes/n1", "null", root), try write("notes/n1", value, root, as: other),
          try write("notes/n1", #"{"title":"Shopping","by":"u507"}"#, root), try write("other/n1", value, root),
        ],
        closure: { request in
          for location in request.locations {
            guard location.path.count == 2, location.path.keys[0] == notes else { return false }
            let node = request.newRoot[location.path]
            if node.isEmpty { continue }
            guard case .string(let shown)? = node.child(title).scalar, case .string? = node.child(text).scalar,
              case .string(let author)? = node.child(by).scalar, shown.utf16.count <= 80,
              author == request.auth?["uid"]?.string
            else { return false }
          }
          return true
        }))
  }

  private static func rateLimit(_ root: Node) throws -> RuleShape {
    let rule = "newData.child('at').val() === now && (!data.exists() || data.child('at').val() < now - 5000)"
    let (place, at) = (Key("last"), Key("at"))
    let stamp = #"{"at":{".sv":"timestamp"}}"#
    let recent = root.replacing(Path("last/u8/at"), with: Node(.int(now - 1000)))
    return RuleShape(
      name: "rate limit", rules: file(["last", "$uid"], ".write", rule),
      sample: .write(
        try write("last/u507", stamp, root),
        others: [
          try write("last/u1001", stamp, root), try write("last/u8", stamp, recent), try write("last/u507", "5", root),
          try write("first/u507", stamp, root),
        ],
        closure: { request in
          for location in request.locations {
            guard location.path.count == 2, location.path.keys[0] == place else { return false }
            let (old, new) = (request.oldRoot[location.path], request.newRoot[location.path])
            guard case .int(request.nowMilliseconds)? = new.child(at).scalar else { return false }
            if old.isEmpty { continue }
            guard case .int(let last)? = old.child(at).scalar, last < request.nowMilliseconds - 5000 else {
              return false
            }
          }
          return true
        }))
  }

  private static func pattern(_ root: Node) throws -> RuleShape {
    let names = Key("names")
    return RuleShape(
      name: "pattern", rules: file(["names", "$uid"], ".write", "newData.val().matches(/^[a-z0-9_]{3,20}$/)"),
      sample: .write(
        try write("names/u507", #""ann_of_green_gables""#, root),
        others: [
          try write("names/u507", #""Ann""#, root), try write("names/u507", #""an""#, root),
          try write("names/u507", "7", root), try write("places/u507", #""ann""#, root),
        ],
        closure: { request in
          for location in request.locations {
            guard location.path.count == 2, location.path.keys[0] == names,
              case .string(let name)? = request.newRoot[location.path].scalar, (3...20).contains(name.utf8.count),
              name.utf8.allSatisfy({ $0 >= 0x61 && $0 <= 0x7A || $0 >= 0x30 && $0 <= 0x39 || $0 == 0x5F })
            else { return false }
          }
          return true
        }))
  }
}
