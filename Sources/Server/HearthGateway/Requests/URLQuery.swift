import HearthTree
import HearthWire

/// The decoded parameters of a URL's query string, in the order they came.
package struct URLQuery: Sendable {
  /// One parameter, decoded.
  package struct Parameter: Sendable {
    /// Before the first `=`.
    package let name: String
    /// After it; empty without one.
    package let value: String
  }

  /// A query is looked through once for each name that may be in it; with tens of thousands of parameters, which fit into a
  /// request's head, that would hold the event loop for milliseconds. No client sends more than some dozens.
  static let parametersMax = 1_000

  /// Names the function that an answer's script calls.
  static let callbackParameter = "callback"

  /// All of them, also those that mean nothing here.
  package let parameters: [Parameter]

  /// - Parameter strict: the client asked for standards-strict decoding: a `+` is a plus.
  /// - Throws: 400 when a name or value is not UTF-8, or there are more than ``parametersMax``.
  package init(_ bytes: some Collection<UInt8>, strict: Bool = false) throws(RESTFailure) {
    var parameters: [Parameter] = []
    for part in bytes.split(separator: UInt8(ascii: "&"), maxSplits: Self.parametersMax) {
      guard parameters.count < Self.parametersMax else {
        throw RESTFailure(400, "Invalid query string: more than \(Self.parametersMax) parameters.")
      }
      let name = part.prefix { $0 != UInt8(ascii: "=") }
      let value = part.dropFirst(name.count + 1)
      guard let name = PercentEncoding.decodeLeniently(name, plusIsSpace: !strict),
        let value = PercentEncoding.decodeLeniently(value, plusIsSpace: !strict)
      else { throw RESTFailure(400, "Invalid query string: not UTF-8.") }
      parameters.append(Parameter(name: name, value: value))
    }
    self.parameters = parameters
  }

  /// The value of a parameter that may come once; nil when it is absent.
  ///
  /// - Throws: 400 when it comes twice, because guessing which one was meant is how checks are bypassed.
  func single(_ name: String) throws(RESTFailure) -> String? {
    var found: String?
    for parameter in parameters where parameter.name == name {
      guard found == nil else { throw RESTFailure(400, "Parameter \(name) given more than once.") }
      found = parameter.value
    }
    return found
  }

  /// The first of the named parameters that is there.
  package func first(of names: [String]) -> String? {
    parameters.first { names.contains($0.name) }?.name
  }
}
