import HearthTree

/// The on-disconnect writes of open connections, with their identities: durable, so that they are executed exactly
/// once, even when the server stops before the connection ends.
///
/// ```
/// sessions = {<number of the connection>: session, …}
/// session  = {"auth": text,                          the rules' `auth` as JSON; absent when signed out
///             "admin": true,                         absent for all others
///             "override": true,                      an administrator with an overridden `auth`; absent for all others
///             "readOnly": true,                      without permission to write; absent for all others
///             "uid": text,                           for logs; absent when there is none
///             "writes": writes}                      see `OnDisconnectWrites`
/// ```
///
/// A connection without on-disconnect writes has no session.
package struct OnDisconnectSessions: Sendable {
  static let writesKey: Key = "writes"
  private static let authKey: Key = "auth"
  private static let administratorKey: Key = "admin"
  private static let overrideKey: Key = "override"
  private static let readOnlyKey: Key = "readOnly"
  private static let userKey: Key = "uid"

  /// The sessions as they are stored, in the form above.
  package private(set) var tree: Node

  /// Creates sessions from their stored form.
  package init(_ tree: Node = .empty) { self.tree = tree }

  /// The number of connections with on-disconnect writes.
  package var count: Int { tree.childCount }

  /// Replaces locations of the tree, as a record states.
  package mutating func apply(_ changes: [(location: Location, node: Node)]) {
    tree = CommitRecord.apply(changes, to: tree)
  }

  /// Replaces the tree by that of `body`, which must be equal: another version, of which less is in memory.
  mutating func replaceTree(_ body: (Node) -> Node) { tree = body(tree) }

  /// Returns the path of a connection's session in ``tree``.
  static func path(of connection: ConnectionID) -> Path { Path([Key("\(connection.rawValue)")]) }

  /// Returns true when a connection has on-disconnect writes.
  func contains(_ connection: ConnectionID) -> Bool { !tree[Self.path(of: connection)].isEmpty }

  /// Returns the on-disconnect writes of a connection.
  func writes(of connection: ConnectionID) -> OnDisconnectWrites {
    OnDisconnectWrites(tree[Self.path(of: connection)].child(Self.writesKey))
  }

  /// Every session, in key order.
  var all: [Session] { tree.children.map { Self.session($0, $1) } }

  /// Returns the session of a connection, or nil when it has no on-disconnect writes.
  func session(of connection: ConnectionID) -> Session? {
    guard let key = Self.path(of: connection).keys.first else { return nil }
    let node = tree.child(key)
    return node.isEmpty ? nil : Self.session(key, node)
  }

  private static func session(_ key: Key, _ node: Node) -> Session {
    let auth = node.child(authKey).withStringUTF8 { JSON(parsing: $0) } ?? nil
    let uid: String? = if case .string(let uid)? = node.child(userKey).scalar { uid } else { nil }
    let isAdministrator = node.child(administratorKey).scalar == .bool(true)
    return Session(
      path: Path([key]), connection: ConnectionID(rawValue: UInt64(key.text) ?? 0),
      principal: Principal(
        auth: auth, isAdministrator: isAdministrator, isOverridden: node.child(overrideKey).scalar == .bool(true),
        isReadOnly: node.child(readOnlyKey).scalar == .bool(true), uid: uid),
      writes: OnDisconnectWrites(node.child(writesKey)))
  }

  /// Returns true when a connection's on-disconnect writes use the identity of `principal`, or when it has none.
  func matches(_ connection: ConnectionID, _ principal: Principal) -> Bool {
    let session = tree[Self.path(of: connection)]
    return session.isEmpty || Self.facts(of: principal).allSatisfy { session.child($0.key) == $0.node }
  }

  /// Returns the changes of ``tree`` that give a connection's session the identity of `principal`.
  static func changes(of connection: ConnectionID, to principal: Principal) -> [(location: Location, node: Node)] {
    let path = path(of: connection)
    return facts(of: principal).map { (Location(path: path.appending($0.key)), $0.node) }
  }

  /// Returns true when a session belongs to the user.
  package func hasUser(_ uid: String) -> Bool {
    tree.children.contains { $0.node.child(Self.userKey).withStringUTF8 { $0.elementsEqual(uid.utf8) } ?? false }
  }

  /// Returns the stored form of a new session.
  static func opened(by principal: Principal, _ writes: OnDisconnectWrites) -> Node {
    facts(of: principal).reduce(Node.empty.replacing(writesKey, with: writes.tree)) { session, fact in
      session.replacing(fact.key, with: fact.node)
    }
  }

  private static func facts(of principal: Principal) -> [(key: Key, node: Node)] {
    let auth = principal.auth.map { Node(.string(String(decoding: $0.text(), as: UTF8.self))) }
    return [
      (authKey, auth ?? .empty),
      (administratorKey, principal.isAdministrator ? Node(.bool(true)) : .empty),
      (overrideKey, principal.isOverridden ? Node(.bool(true)) : .empty),
      (readOnlyKey, principal.isReadOnly ? Node(.bool(true)) : .empty),
      (userKey, principal.uid.map { Node(.string($0)) } ?? .empty),
    ]
  }
}

/// A connection in ``OnDisconnectSessions``.
struct Session {
  var path: Path
  var connection: ConnectionID
  var principal: Principal
  var writes: OnDisconnectWrites
}
