/// The limits of a ``UserLookup``.
package enum UserLookupLimits {
  /// The maximum number of users of one issuer that are looked up; further users stay signed in until their tokens expire.
  package static let usersMax = 100_000
  /// The maximum number of users in one request; the protocol allows no more.
  package static let batchUsersMax = 100
  /// The maximum number of requests in one interval. More users are looked up in several intervals.
  package static let requestsMax = 100
  /// The time in seconds for which a user is kept after the expiry of the last token, because clocks differ.
  package static let graceSeconds: Int64 = 300
  /// The maximum size of a response: profiles have a few kilobytes.
  package static let responseBytesMax = 4 << 20
}
