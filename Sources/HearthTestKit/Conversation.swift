import HearthTree

/// A conversation of clients with a server as plain text: what each says, all that each is told, in order, and what is
/// never told.
///
/// A file holds any number of conversations. One begins with its title; the line cites what it is drawn from:
///
/// ```
/// = The first value comes before the answer (wire 9, ordering 1)
/// rules {"rules": {".read": true, ".write": true}}
/// data {"a": 1}
/// ann connects
/// ann > q {"p":"/a","h":""}
/// ann < d {"p":"a","d":1}
/// ann < q ok {}
/// ann silent
/// ```
///
/// Without `rules` everybody may read and write; without `data` there is none. Lines that begin with `#` say something
/// to the reader. Steps:
///
/// ```
/// N connects [after M] [as AGENT]   a socket; `after M` sends M's session, as a client that comes back does
/// N leaves                          closes the socket, cleanly
/// N is CLAIMS | admin | nobody      signs in or out, and is answered that it is
/// N > ACTION BODY                   a request; requests are numbered by themselves
/// N > raw TEXT                      a whole message as it is
/// N < ACTION STATUS [DATA]          the answer to N's oldest open request of that action
/// N < ACTION BODY                   a push
/// N < control TYPE DATA             a control message
/// N < closed                        the server ended the socket
/// N silent                          N is told nothing that is not listed above
/// N streams TARGET [(admin|CLAIMS)] an event stream; its events are `N < EVENT DATA`, as on the wire
/// [as admin|CLAIMS] METHOD TARGET [BODY]      a request over HTTP; below it, indented:
///   send NAME: VALUE                header fields of the request; \r\n in a multipart body is the end of a line
///   STATUS [BODY]                   the answer: JSON is compared as JSON, `-` is an empty body, `text …` as text
///   NAME: VALUE                     header fields of the answer; * is any value, - is none
/// time MS                           the clocks move on by so many milliseconds (not over a live socket)
/// ```
///
/// `"*"` in expected JSON, as a whole value, stands for any value; so does a bare `*` for the whole of it. At the end of a
/// conversation everybody must be silent.
public struct Conversation: Sendable {
  public var title: String
  /// What it is drawn from, as the title's brackets say it.
  public var source: String
  public var rules: String
  public var data: String?
  public var steps: [Step]

  public struct Step: Sendable {
    /// Counts from 1, in the file.
    public var line: Int
    public var text: String
    public var kind: Kind
  }

  public enum Kind: Sendable {
    case connect(String, after: String?, agent: String?)
    case leave(String)
    case identify(String, Identity)
    case request(String, action: String, body: String)
    case raw(String, text: String)
    case expect(String, Expectation)
    case silent(String)
    case stream(String, target: String, Identity)
    case http(HTTPExchange)
    case time(milliseconds: Int64)
  }

  public enum Identity: Sendable, Equatable {
    case nobody
    case administrator
    /// The rules' `auth.token`, as JSON; `uid` or `sub` in it is the user's id.
    case user(JSON)
  }

  public enum Expectation: Sendable {
    /// The answer to the oldest open request of this action. Without data any will do.
    case reply(action: String, status: String, data: JSON?)
    /// A push, or an event of a stream.
    case push(action: String, body: JSON)
    /// An event whose data is not JSON.
    case text(action: String, text: String)
    case control(type: String, data: JSON)
    case closed
  }

  public struct HTTPExchange: Sendable {
    public var identity: Identity
    public var method: String
    public var target: String
    public var body: String?
    public var requestHeaders: [(name: String, value: String)] = []
    public var status = 0
    /// nil expects nothing in particular.
    public var responseBody: Body?
    public var responseHeaders: [(name: String, value: String)] = []

    public enum Body: Sendable {
      case json(JSON)
      case text(String)
      case empty
    }
  }

  /// True when an engine alone, without HTTP, can play it.
  public var isSocketOnly: Bool {
    steps.allSatisfy {
      switch $0.kind {
      case .stream, .http: false
      default: true
      }
    }
  }

  /// True when a real server can play it: its clock is the machine's.
  public var isLive: Bool { steps.allSatisfy { if case .time = $0.kind { false } else { true } } }
}

/// A conversation that cannot be read.
public struct ConversationError: Error, CustomStringConvertible {
  public var line: Int
  public var message: String
  public var description: String { "line \(line): \(message)" }
}
