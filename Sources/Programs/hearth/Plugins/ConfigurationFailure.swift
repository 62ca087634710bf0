/// A configuration that a server cannot be started with: what is wrong, where, and how to fix it.
struct ConfigurationFailure: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
