import HearthTestKit
import HearthTree

@testable import HearthAccounts
@testable import HearthIdentity

extension IdentityFixture {
  /// The event names of the audit records, oldest first.
  var auditedKinds: [String] {
    accounts.store.view.audit(limit: 10_000).compactMap { $0.fields["event"]?.string }
  }
}
