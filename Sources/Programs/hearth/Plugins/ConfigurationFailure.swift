/// An invalid configuration of a server: the problem, its place, and its remedy.
struct ConfigurationFailure: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
