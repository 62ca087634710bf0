/// The requirements and effects of each change of credentials, written by hand from the guide and not from the code.
///
/// - `old`: a session whose sign-in is ten minutes old, with the second factor shown.
/// - `unshown`: a fresh session without a proof of the factor that an administrator gave the account.
/// - `before`: a session that began before the owner enrolled the factor.
/// - `same`: the caller's own refresh token afterwards.
/// - `other`: another session that began by the sign-in method of the change; its refresh token and its ID token.
/// - `cookie`: a session cookie of that other session.
/// - `anonymous`: an anonymous user whose account began ten minutes ago.
/// - `admin`: the effect on a user's sessions when an administrator makes the change.
/// - `mail`: the mail to the address that the account had before, with a link to revert the change.
/// - `late`: after a change by the session of `old`, the answer to a change of the password by a fresh sign-in with the
///   method that was added.
///
/// The users of tenants have the same requirements and effects. A session cookie changes nothing: it is not an ID
/// token.
let proofChangeTable = """
  change                | old     | unshown | before  | same    | other      | cookie | anonymous | admin | mail                      | late
  passwordLinked        | refused | refused | refused | goes on | goes on    | counts | upgrades  | ends  | signInMethodAdded         | -
  passwordChanged       | refused | refused | refused | anew    | ends       | ends   | -         | ends  | passwordChanged           | -
  passwordUnlinked      | refused | refused | refused | goes on | no refresh | counts | -         | stays | signInMethodRemoved       | -
  addressLinked         | allowed | refused | refused | goes on | goes on    | counts | upgrades  | -     | -                         | allowed
  addressChanged        | refused | refused | refused | anew    | ends       | ends   | -         | ends  | recoverEmail              | -
  phoneLinked           | allowed | refused | refused | goes on | goes on    | counts | upgrades  | stays | signInMethodAdded         | refused
  phoneReplaced         | refused | refused | refused | goes on | no refresh | counts | -         | stays | signInMethodAdded         | -
  phoneUnlinked         | refused | refused | refused | goes on | no refresh | counts | -         | stays | signInMethodRemoved       | -
  providerLinked        | allowed | refused | refused | goes on | goes on    | counts | upgrades  | stays | signInMethodAdded         | refused
  providerUnlinked      | refused | refused | refused | goes on | no refresh | counts | -         | stays | signInMethodRemoved       | -
  factorEnrolled        | refused | refused | refused | anew    | ends       | ends   | -         | stays | revertSecondFactorAddition | -
  factorWithdrawn       | refused | refused | refused | anew    | ends       | ends   | -         | stays | secondFactorRemoved       | -
  recoveryCodesReplaced | refused | refused | refused | goes on | goes on    | counts | -         | -     | recoveryCodesReplaced     | -
  passkeyAdded          | refused | refused | refused | goes on | goes on    | counts | refused   | -     | passkeyAdded              | -
  passkeyRemoved        | refused | refused | refused | anew    | ends       | ends   | -         | ends  | passkeyRemoved            | -
  passwordReset         | by mail | by mail | refused | ends    | ends       | ends   | -         | -     | -                         | -
  addressConfirmed      | by mail | by mail | refused | ends    | ends       | ends   | -         | -     | recoverEmail              | -
  changeReverted             | by mail | by mail | refused | ends    | ends       | ends   | -         | -     | -                         | -
  ownerIdentified          | never   | never   | refused | -       | -          | -      | -         | -     | -                         | -
  administered          | never   | never   | refused | -       | -          | -      | -         | -     | -                         | -
  """
