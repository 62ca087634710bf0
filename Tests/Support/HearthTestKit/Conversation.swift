import HearthTree

/// A conversation of clients with a server as plain text: the requests of each client, all messages to it in order, and
/// assertions that no other message arrives.
///
/// A file holds any number of conversations. Each begins with a title line that cites its source:
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
/// Without `rules` all clients may read and write; without `data` the database is empty. Lines that begin with `#` are
/// comments. Steps:
///
/// ```
/// N connects [after M] [as AGENT]   a socket; `after M` sends M's session, as a reconnecting client does
/// N leaves                          closes the socket, cleanly
/// N is CLAIMS | admin | nobody      signs in or out, and receives the answer
/// N > ACTION BODY                   a request; requests are numbered automatically
/// N > raw TEXT                      a whole message, unchanged
/// N < ACTION STATUS [DATA]          the answer to N's oldest open request of that action
/// N < ACTION BODY                   a push
/// N < control TYPE DATA             a control message
/// N < closed                        the server ended the socket
/// N silent                          N has received no message that is not listed above
/// N streams TARGET [(admin|CLAIMS)] an event stream; its events are `N < EVENT DATA`, as on the wire
/// [as admin|CLAIMS] METHOD TARGET [BODY]      a request over HTTP; below it, indented:
///   send NAME: VALUE                header fields of the request; \r\n in a multipart body is the end of a line
///   STATUS [BODY]                   the answer: JSON is compared as JSON, `-` is an empty body, `text …` as text
///   NAME: VALUE                     header fields of the answer; * is any value, - is none
/// time MS                           advances the clocks by so many milliseconds (not over a live socket)
/// ```
///
/// `"*"` in expected JSON, as a whole value, stands for any value; so does a bare `*` for the whole of it. At the end
/// of a conversation all clients must be silent.
package struct Conversation: Sendable {
  /// The subject of the conversation, as a test's name.
  package var title: String
  /// The source that the title cites in brackets.
  package var source: String
  /// The text of the rules.
  package var rules: String
  /// The initial database as JSON; nil for an empty one.
  package var data: String?
  /// The lines of the conversation in order.
  package var steps: [Step]

  /// One line of a conversation.
  package struct Step: Sendable {
    /// The line number in the file, from 1.
    package var line: Int
    /// The line as it was written.
    package var text: String
    /// The meaning of the line.
    package var kind: Kind
  }

  /// An action or an expectation in a line; the first text is the client's name. The comment of ``Conversation`` has
  /// the syntax.
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

  /// A client's identity for the rules.
  package enum Identity: Sendable, Equatable {
    case signedOut
    case administrator
    /// The rules' `auth.token`, as JSON; its `uid` or `sub` is the user's id.
    case user(JSON)
  }

  /// An expected message to a client.
  package enum Expectation: Sendable {
    /// The answer to the oldest open request of this action. Any data matches when `data` is nil.
    case reply(action: String, status: String, data: JSON?)
    /// A push message, or an event of a stream.
    case push(action: String, body: JSON)
    /// A stream event with data that is not JSON.
    case text(action: String, text: String)
    case control(type: String, data: JSON)
    case closed
  }

  /// A request over HTTP and the expected answer.
  package struct HTTPExchange: Sendable {
    /// The caller's identity, which decides the credential that is sent.
    package var identity: Identity
    /// The request's method.
    package var method: String
    /// The request's path and query.
    package var target: String
    /// The request's body; nil when there is none.
    package var body: String?
    /// The request's header fields beyond those that every client sends.
    package var requestHeaders: [(name: String, value: String)] = []
    /// The expected status; 0 until the line with it has been read.
    package var status = 0
    /// The expected body; nil when any body matches.
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

  /// True when an engine alone, without HTTP, can replay the conversation.
  package var isSocketOnly: Bool {
    steps.allSatisfy {
      switch $0.kind {
      case .stream, .http: false
      default: true
      }
    }
  }

  /// True when a real server, whose clock is the machine's, can replay the conversation.
  package var isLive: Bool { steps.allSatisfy { if case .time = $0.kind { false } else { true } } }
}

/// An error for a conversation that cannot be parsed.
package struct ConversationError: Error, CustomStringConvertible {
  /// The line number in the file, from 1.
  package var line: Int
  /// A description of the defect in the line.
  package var message: String
  package var description: String { "line \(line): \(message)" }
}
