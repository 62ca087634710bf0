import HearthEngine
import HearthTree
import HearthWorkbench

/// A request to be decided.
public struct TestRequest: Sendable {
  private enum Kind: Sendable {
    case read(Query?)
    case write(TestValue)
    case update(TestValue)
  }

  private var path: String
  private var kind: Kind

  /// A read of a path, or a listen; `query`, if given, is the `query` of rules, a type of `HearthTree`.
  public static func read(_ path: String, query: Query? = nil) -> TestRequest {
    TestRequest(path: path, kind: .read(query))
  }

  /// A write that replaces the value at a path. A path that ends in `/.priority` means a priority.
  public static func write(_ path: String, _ value: TestValue) -> TestRequest {
    TestRequest(path: path, kind: .write(value))
  }

  /// A write of several locations at once: values by their paths relative to `path`. A nil value deletes.
  public static func update(_ path: String, _ values: [String: TestValue]) -> TestRequest {
    let members = values.sorted { $0.key < $1.key }.map { JSON.Member($0.key, $0.value.json) }
    return TestRequest(path: path, kind: .update(TestValue(json: .object(members))))
  }

  /// A write that deletes the value at a path.
  public static func delete(_ path: String) -> TestRequest { write(path, nil) }

  /// Converts the request to that of the offline evaluator.
  ///
  /// - Throws: ``RulesTestingError`` for an invalid path or value.
  func offline() throws -> ProposedRequest {
    let location: Location
    do { location = try Location(wire: path) } catch {
      throw RulesTestingError("'\(path)' is not a valid path: a key cannot contain . $ # [ ] or control characters")
    }
    switch kind {
    case .read(let query):
      guard !location.isPriority else { throw RulesTestingError("'\(path)': a priority cannot be read by itself") }
      return .read(location.path, query)
    case .write(let value): return .write(WriteOperation(.put(location, try value.writeValue(for: location))))
    case .update(let values):
      guard !location.isPriority else { throw RulesTestingError("'\(path)': a priority cannot have children") }
      return .write(WriteOperation(.merge(location.path, try values.writes(below: location.path))))
    }
  }
}

/// The client that makes a request.
public struct TestUser: Sendable {
  private enum Kind: Sendable {
    case nobody
    case user(String, TestValue, String)
    case auth(TestValue)
    case administrator
  }

  private var kind: Kind

  /// A signed-out client: rules see `auth` as null.
  public static let nobody = TestUser(kind: .nobody)
  /// An administrator, whose requests bypass rules.
  public static let administrator = TestUser(kind: .administrator)

  /// A signed-in user, with custom claims in the token.
  public static func user(_ uid: String, claims: TestValue = [:], provider: String = "custom") -> TestUser {
    TestUser(kind: .user(uid, claims, provider))
  }

  /// A client with exactly this `auth` value.
  public static func auth(_ auth: TestValue) -> TestUser { TestUser(kind: .auth(auth)) }

  var isAdministrator: Bool { if case .administrator = kind { true } else { false } }

  /// Returns the `auth` of rules; nil for a signed-out client.
  ///
  /// - Throws: ``RulesTestingError`` for claims or an `auth` that is not an object.
  func auth() throws -> JSON? {
    switch kind {
    case .nobody, .administrator: return nil
    case .user(let uid, let claims, let provider):
      guard case .object(let members) = claims.json else { throw RulesTestingError("claims must be an object") }
      return OfflineAuth.user(uid, claims: members, provider: provider)
    case .auth(let auth):
      guard case .object = auth.json else {
        throw RulesTestingError("auth must be an object; use .nobody for a signed-out client")
      }
      return auth.json
    }
  }
}
