import HearthWire

/// The decoded parameters of a URL's query string, in the order they came.
package struct URLQuery: Sendable {
  package struct Parameter: Sendable {
    package let name: String
    package let value: String
  }

  /// Names the function that an answer's script calls.
  static let callbackParameter = "callback"

  package let parameters: [Parameter]

  /// - Parameter strict: the client asked for standards-strict decoding: a `+` is a plus.
  /// - Throws: 400 when a name or value is not UTF-8.
  package init(_ bytes: some Collection<UInt8>, strict: Bool = false) throws(RESTFailure) {
    var parameters: [Parameter] = []
    for part in bytes.split(separator: UInt8(ascii: "&")) {
      let name = part.prefix { $0 != UInt8(ascii: "=") }
      let value = part.dropFirst(name.count + 1)
      guard let name = PercentEncoding.decode(name, plusIsSpace: !strict),
        let value = PercentEncoding.decode(value, plusIsSpace: !strict)
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
