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
package struct Conversation: Sendable {
  /// What the conversation shows, as a test's name.
  package var title: String
  /// What it is drawn from, as the title's brackets say it.
  package var source: String
  /// The text of the rules.
  package var rules: String
  /// The database at the start, as JSON; nil for an empty one.
  package var data: String?
  /// The lines in their order.
  package var steps: [Step]

  /// One line.
  package struct Step: Sendable {
    /// Counts from 1, in the file.
    package var line: Int
    /// The line as it was written.
    package var text: String
    /// What the line means.
    package var kind: Kind
  }

  /// What a line lets happen or expects; the first text is the client's name. The type's comment has the syntax.
  package enum Kind: Sendable {
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

  /// Who a client is to the rules.
  package enum Identity: Sendable, Equatable {
    case nobody
    case administrator
    /// The rules' `auth.token`, as JSON; `uid` or `sub` in it is the user's id.
    case user(JSON)
  }

  /// What a client is told.
  package enum Expectation: Sendable {
    /// The answer to the oldest open request of this action. Without data any will do.
    case reply(action: String, status: String, data: JSON?)
    /// A push, or an event of a stream.
    case push(action: String, body: JSON)
    /// An event whose data is not JSON.
    case text(action: String, text: String)
    case control(type: String, data: JSON)
    case closed
  }

  /// A request over HTTP and what its answer must be.
  package struct HTTPExchange: Sendable {
    /// Who asks: decides the credential that is sent.
    package var identity: Identity
    /// The request's method.
    package var method: String
    /// The request's path and query.
    package var target: String
    /// The request's body; nil for none.
    package var body: String?
    /// The request's header fields beside those that every client sends.
    package var requestHeaders: [(name: String, value: String)] = []
    /// The expected status; 0 until the line that names it was read.
    package var status = 0
    /// nil expects nothing in particular.
    package var responseBody: Body?
    /// Expected header fields: `*` is any value, `-` is no such field.
    package var responseHeaders: [(name: String, value: String)] = []

    /// An expected body.
    package enum Body: Sendable {
      case json(JSON)
      case text(String)
      case empty
    }
  }

  /// True when an engine alone, without HTTP, can play it.
  package var isSocketOnly: Bool {
    steps.allSatisfy {
      switch $0.kind {
      case .stream, .http: false
      default: true
      }
    }
  }

  /// True when a real server can play it: its clock is the machine's.
  package var isLive: Bool { steps.allSatisfy { if case .time = $0.kind { false } else { true } } }
}

/// A conversation that cannot be read.
package struct ConversationError: Error, CustomStringConvertible {
  /// Counts from 1, in the file.
  package var line: Int
  /// What is wrong with the line.
  package var message: String
  package var description: String { "line \(line): \(message)" }
}
