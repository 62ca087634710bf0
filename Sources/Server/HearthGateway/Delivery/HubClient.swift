import HearthAccounts
import HearthEngine
import HearthTree

/// A recipient of a database's effects: a socket, a long poll, or an event stream. Used on its event loop only.
///
/// Messages between two calls of ``flush()`` are sent together.
protocol HubClient: AnyObject {
  var id: ConnectionID { get }

  /// The id of its first request in logs.
  var requestID: String { get }

  /// The client's description for administrators; nil before the client has chosen a database, and after the connection's end.
  var clientDescription: ClientDescription? { get }

  /// Delivers a change.
  ///
  /// - Parameter tag: the client's name for the listen with a query that this is for; nil for the one without.
  func deliver(_ event: SharedEvent, tag: Int32?)

  /// Delivers the response to a request.
  func answer(_ request: Int32, _ reply: Reply)

  /// Delivers the cancellation of a listen.
  func cancel(_ name: ListenName, _ cause: Cancellation)

  /// Signs the client out for the database, because its credential is no longer valid.
  func endAuthentication()

  /// Delivers the explanation of a denial, which the client has asked for.
  func explain(_ denial: Denial)

  /// Sends the queued messages.
  func flush()

  /// Adds a mark behind the queued messages: ``SentMark/sent()`` is to be called once all of them are written to the
  /// connection. When the connection ends first, the mark is released.
  func track(_ mark: SentMark)

  /// Returns the query of a listen as the client sent it, for the receipt of its end; nil when it has none, or is not
  /// known.
  func query(of name: ListenName) -> JSON?

  /// Pauses or resumes reading from the client.
  func setReading(_ isReading: Bool)

  /// Pauses reading from the client for a while, because its work is over its allowance.
  func waitForWork(milliseconds: Int64)

  /// Checks the client's credential after a revocation.
  ///
  /// - Returns: true when the client's database was asked to sign it out.
  func reviewCredential(after revocation: Revocation, _ revocationNumber: UInt64) -> Bool

  /// Signs the client out if its credential is of this session of the console, which has ended.
  func endConsoleSession(_ session: UInt64)

  /// Ends the client because another connection replaces it.
  func replace()

  /// Notifies a client of that database that it is deleted, and disconnects it.
  func databaseEnded(_ name: String)

  /// Disconnects the client, so that it reconnects, to this server or another one, and repeats requests without a
  /// response.
  ///
  /// - Parameter database: limits the call to clients of that one; nil for all.
  func disconnectForRetry(from database: String?)
}

extension HubClient {
  var clientDescription: ClientDescription? { nil }

  func query(of name: ListenName) -> JSON? { nil }

  func endConsoleSession(_ session: UInt64) {}

  /// The default for a client that sends no more requests: it needs no pause.
  func waitForWork(milliseconds: Int64) {}
}
