import HearthTree

/// A write that a trigger reports: the input of ``PluginHook/onWrite``.
///
/// As JSON it is the body that a webhook gets: `{"type","id","timestamp","data":{"trigger","database","path","params",
/// "author","sequence","values":{"before","after"}}}`.
public struct WriteEvent: Sendable, Codable, Equatable {
  /// The written values and their author.
  public struct Data: Sendable, Codable, Equatable {
    /// The trigger's name.
    public var trigger: String
    /// The database's name.
    public var database: String
    /// The path that the trigger's pattern matched, from the root on: keys with `/` before each.
    public var path: String
    /// The keys that the pattern's wildcards matched, by the wildcards' names.
    public var params: [String: String]
    /// The author of the write.
    public var author: Author
    /// A number in digits of fixed width that orders all events of a database when compared as text.
    public var sequence: String
    /// The values; nil when they are larger than an event may be, and have to be read from the database.
    public var values: Values?
    /// True when ``values`` is nil because of their size.
    public var isTooLarge: Bool?

    /// Creates a write with its values.
    public init(
      trigger: String, database: String, path: String, params: [String: String], author: Author, sequence: String,
      values: Values?
    ) {
      (self.trigger, self.database, self.path, self.params) = (trigger, database, path, params)
      (self.author, self.sequence, self.values) = (author, sequence, values)
    }
  }

  /// The author of a write.
  public struct Author: Sendable, Codable, Equatable {
    /// `admin`, `user`, or `unauthenticated`.
    public var type: String
    /// The user's id.
    public var uid: String?
    /// The value of `auth` in rules: an object; nil for all authors but users.
    public var auth: JSON?

    /// Creates an author of that type.
    public init(type: String, uid: String? = nil, auth: JSON? = nil) {
      (self.type, self.uid, self.auth) = (type, uid, auth)
    }
  }

  /// The values at the path.
  public struct Values: Sendable, Codable, Equatable {
    /// The value before the write; nil when there was none.
    public var before: JSON?
    /// The value after the write; nil when there is none.
    public var after: JSON?

    /// Creates a pair of values.
    public init(before: JSON? = nil, after: JSON? = nil) { (self.before, self.after) = (before, after) }
  }

  /// The kind of the write: `database.created`, `database.updated` or `database.deleted`.
  public var type: String
  /// The event's id: unique, and the same whenever the event is delivered again. Of the characters `0-9`, `A-Z`, `a-z`,
  /// `-` and `_`.
  public var id: String
  /// The time of the write, in RFC 3339.
  public var timestamp: String
  /// The written values and their author.
  public var data: Data

  /// Creates an event with these parts.
  public init(type: String, id: String, timestamp: String, data: Data) {
    (self.type, self.id, self.timestamp, self.data) = (type, id, timestamp, data)
  }
}

/// A receiver of write events, which triggers send it.
public protocol WriteReceiver: Sendable {
  /// The name by which triggers refer to the receiver.
  var name: String { get }

  /// Takes one event. Events of one path come one after another, in the order of their writes; events of other paths
  /// come meanwhile. An event may come again, with the same id, when the server or the receiver ended before the server
  /// knew that it was taken.
  ///
  /// - Throws: a ``WriteReceiverFailure``; any other error says that the receiver failed.
  func take(_ event: WriteEvent) async throws
}

/// The reason why an event was not taken. The text is for operators: no secret and no personal data.
public enum WriteReceiverFailure: Error, Sendable, Equatable {
  /// The receiver did not get the event, or cannot take it now: the event is delivered again later.
  case notRun(String)
  /// The receiver got the event and failed: it is delivered again if the trigger says so.
  case failed(String)
  /// The receiver may have taken the event or not: it is delivered again if the trigger says so.
  case unknown(String)
}
