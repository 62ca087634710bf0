import HearthTree

/// A write that a trigger tells of: what ``PluginHook/onWrite`` is given.
///
/// As JSON it is the body that a webhook gets: `{"type","id","timestamp","data":{"trigger","database","path","params",
/// "author","sequence","values":{"before","after"}}}`.
public struct WriteEvent: Sendable, Codable, Equatable {
  /// What was written, and by whom.
  public struct Data: Sendable, Codable, Equatable {
    /// The trigger's name.
    public var trigger: String
    /// The database's name.
    public var database: String
    /// The place that the trigger's pattern matched, from the root on: keys with `/` before each.
    public var path: String
    /// The keys under the names that the pattern gives them.
    public var params: [String: String]
    /// Who wrote.
    public var author: Author
    /// Digits of a fixed number that order all events of a database, compared as text.
    public var sequence: String
    /// The values; nil when they are larger than an event may be, and are to be read from the database.
    public var values: Values?
    /// True when ``values`` is nil for that reason.
    public var isTooLarge: Bool?

    /// What was written, with its values.
    public init(
      trigger: String, database: String, path: String, params: [String: String], author: Author, sequence: String,
      values: Values?
    ) {
      (self.trigger, self.database, self.path, self.params) = (trigger, database, path, params)
      (self.author, self.sequence, self.values) = (author, sequence, values)
    }
  }

  /// Who wrote.
  public struct Author: Sendable, Codable, Equatable {
    /// `admin`, `user`, or `unauthenticated`.
    public var type: String
    /// The user's id.
    public var uid: String?
    /// What rules see as `auth`: an object; nil for all but users.
    public var auth: JSON?

    /// An author of that type.
    public init(type: String, uid: String? = nil, auth: JSON? = nil) {
      (self.type, self.uid, self.auth) = (type, uid, auth)
    }
  }

  /// The values at the place.
  public struct Values: Sendable, Codable, Equatable {
    /// Before the write; nil when there was nothing.
    public var before: JSON?
    /// After the write; nil when there is nothing.
    public var after: JSON?

    /// These values.
    public init(before: JSON? = nil, after: JSON? = nil) { (self.before, self.after) = (before, after) }
  }

  /// `database.created`, `database.updated` or `database.deleted`.
  public var type: String
  /// The same whenever the event is given again, and that of no other event. Of the characters `0-9`, `A-Z`, `a-z`, `-` and
  /// `_`.
  public var id: String
  /// The time of the write, as RFC 3339 has it.
  public var timestamp: String
  /// What was written, and by whom.
  public var data: Data

  /// An event of these parts.
  public init(type: String, id: String, timestamp: String, data: Data) {
    (self.type, self.id, self.timestamp, self.data) = (type, id, timestamp, data)
  }
}

/// Takes events of writes, which triggers tell it.
public protocol WriteReceiver: Sendable {
  /// The name that triggers know it by.
  var name: String { get }

  /// Takes one event. Events of one place come one after another, in the order of their writes; others come meanwhile. An
  /// event may come again, with the same id, when the server or the receiver ended before the server knew that it was
  /// taken.
  ///
  /// - Throws: a ``WriteReceiverFailure``; any other error says that the receiver failed.
  func take(_ event: WriteEvent) async throws
}

/// The reason why an event was not taken. The text is for operators: no secret, and nobody's data.
public enum WriteReceiverFailure: Error, Sendable, Equatable {
  /// The receiver did not get it, or cannot take it now: it is given again later.
  case notRun(String)
  /// The receiver got it and failed: it is given again if the trigger says so.
  case failed(String)
  /// Nobody knows whether the receiver took it: it is given again if the trigger says so.
  case unknown(String)
}
