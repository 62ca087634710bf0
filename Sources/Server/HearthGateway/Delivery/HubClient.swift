import HearthAccounts
import HearthEngine
import HearthTree

/// Somebody whom a database's effects reach: a socket, a long poll, an event stream. Used on its event loop only.
///
/// What it is told between two calls of ``flush()`` goes out together.
protocol HubClient: AnyObject {
  var id: ConnectionID { get }

  /// What logs call the request that it came with.
  var requestID: String { get }

  /// What an administrator is shown of it; nil before it is of a database, and after its end.
  var shown: ShownClient? { get }

  /// Something changed.
  ///
  /// - Parameter tag: the client's name for the listen with a query that this is for; nil for the one without.
  func tell(_ event: SharedEvent, tag: Int32?)

  /// A request was answered.
  func answer(_ request: Int32, _ reply: Reply)

  /// A listen is over.
  func cancel(_ name: ListenName, _ cause: Cancellation)

  /// The credential counts no longer; the client is signed out for the database.
  func endAuthentication()

  /// The client asked to be told why it is refused something.
  func explain(_ denial: Denial)

  /// Sends what is in line.
  func flush()

  /// Marks the end of what the client was told until now: ``SentMark/sent()`` is to be called once all of that is
  /// written to the connection. When the connection ends first, the mark is let go.
  func follow(_ mark: SentMark)

  /// The query of a listen as the client sent it, for the receipt of its end; nil when it has none, or is not known.
  func query(of name: ListenName) -> JSON?

  /// Returns true when more is read from the client.
  func setReading(_ isReading: Bool)

  /// The client's work is over its allowance: nothing more is read from it for a while.
  func waitForWork(milliseconds: Int64)

  /// Something was revoked: what the client is signed in with may be part of it.
  ///
  /// - Returns: whether the client's database was asked to sign it out.
  func reviewCredential(after revocation: Revocation, _ ticket: UInt64) -> Bool

  /// A session of the console ended: who is signed in with a credential of it is signed out.
  func endConsoleSession(_ session: UInt64)

  /// Another connection of the same client takes over.
  func replace()

  /// The database of that name is deleted: who is a client of it is told, and let go.
  func databaseEnded(_ name: String)

  /// The connection ends: the client is to come back, to this server or another one, and to ask again what had no answer.
  ///
  /// - Parameter database: means clients of that one alone; nil whoever it is.
  func sendAway(from database: String?)
}

extension HubClient {
  var shown: ShownClient? { nil }

  func query(of name: ListenName) -> JSON? { nil }

  func endConsoleSession(_ session: UInt64) {}

  /// A client that asks nothing more has nothing to wait with.
  func waitForWork(milliseconds: Int64) {}
}
