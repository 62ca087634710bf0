/// The permitted credentials and listeners of every route of a server, written by hand. Tests send each request with
/// each credential to each listener, and fail for a route without a row, and for a row without a route.
///
/// `who` is the list of accepted credentials, `where` the list of listeners that answer; both apply to the rows below
/// them. Credentials:
///
/// | word | is |
/// |---|---|
/// | `operator` | the token of the data folder |
/// | `console` | a console administrator, with or without recent user verification |
/// | `present` | a console administrator, only with recent user verification |
/// | `viewer` | a console's viewer |
/// | `all`, `database`, `identity` | a service account's access token of the scope `cloud-platform`, `firebase.database` or `identitytoolkit` |
/// | `secret` | a database secret |
/// | `user` | a user's ID token |
/// | `nobody` | no credential |
/// | `everybody` | all of them, and any other text: the answer is public, or the body contains the credential |
/// | `emulator` | local programs, only when the server is an emulator; none of the credentials above is accepted |
/// | `operations` | not stated by the route: each operation behind it states the credentials that it accepts |
///
/// Listeners: `port`, `folder` (the Unix socket), `node` (the port for other nodes), `own` (the console's own address).
enum AuthorityTable {
  static let text = """
    where: port folder node
    who: everybody
    route health
    who: operator present
    route console links GET
    route console links POST
    route erasures GET
    route erasures POST
    route cluster POST
    who: operator console viewer
    route cluster GET
    who: operations
    route what nodes decide together
    route receipts of another node
    route identity endpoints

    where: folder
    who: operator console viewer
    route plugins GET
    who: operator present
    route plugins POST

    where: port node
    who: everybody
    route long polls
    who: emulator
    route emulator hub
    who: operations
    route console
    route web app configuration
    route pages of mailed links

    # The REST interface, of a database whose rules deny all access.
    where: port folder node
    who: operator console viewer all database secret
    rest data GET
    rest past GET
    rest checksum GET
    rest rules GET
    rest rulesVersions GET
    rest rulesDecisions POST
    rest stagedRules GET
    rest rulesets GET
    rest rulesetLabels GET
    rest setting GET
    rest triggers GET
    rest denial GET
    rest history GET
    rest databaseManagement GET
    rest databases GET
    rest coverage GET
    rest receipts GET
    rest metrics GET
    who: operator console all database secret
    rest data PUT
    rest data PATCH
    rest data POST
    rest data DELETE
    rest upload POST
    rest stagedRules PUT
    rest stagedRules POST
    rest stagedRules DELETE
    rest rulesets POST
    rest setting PUT
    rest triggers PUT
    rest triggers POST
    rest triggers DELETE
    rest databaseManagement POST
    rest databaseManagement PATCH
    who: operator present all database secret
    rest rules PUT
    rest rulesVersions POST
    rest rulesRollback POST
    rest rulesPromotion POST
    rest rulesetLabels PUT
    rest databaseManagement DELETE

    # Sign-in, by a client that names an API key. A header with a credential that may not manage accounts is refused,
    # not ignored.
    who: operator present all identity nobody
    identity POST v1/accounts:signUp
    identity POST v1/accounts:signInWithPassword
    identity POST v1/accounts:signInWithCustomToken
    identity POST v1/accounts:signInWithIdp
    identity POST v1/accounts:signInWithEmailLink
    identity POST v1/accounts:signInWithPhoneNumber
    identity POST v1/accounts:sendVerificationCode
    identity POST v1/accounts:createAuthUri
    identity POST v1/accounts:lookup
    identity POST v1/accounts:update
    identity POST v1/accounts:delete
    identity POST v1/accounts:sendOobCode
    identity POST v1/accounts:resetPassword
    identity POST v1/accounts:verifyIosClient
    identity * v1/accounts:signInWithGameCenter
    identity * v1/accounts:issueSamlResponse
    identity GET v1/projects
    identity GET v1/recaptchaParams
    identity GET v2/passwordPolicy
    identity GET v2/recaptchaConfig
    identity POST v2/accounts:revokeToken
    identity POST v2/accounts/mfaEnrollment:start
    identity POST v2/accounts/mfaEnrollment:finalize
    identity POST v2/accounts/mfaEnrollment:withdraw
    identity POST v2/accounts/mfaEnrollment:recoveryCodes
    identity POST v2/accounts/mfaSignIn:start
    identity POST v2/accounts/mfaSignIn:finalize
    identity POST v2/accounts/passkeyEnrollment:start
    identity POST v2/accounts/passkeyEnrollment:finalize
    identity POST v2/accounts/passkeySignIn:start
    identity POST v2/accounts/passkeySignIn:finalize
    identity POST identitytoolkit/v3/relyingparty/signupNewUser
    identity POST identitytoolkit/v3/relyingparty/verifyPassword
    identity POST identitytoolkit/v3/relyingparty/verifyCustomToken
    identity POST identitytoolkit/v3/relyingparty/verifyAssertion
    identity POST identitytoolkit/v3/relyingparty/emailLinkSignin
    identity POST identitytoolkit/v3/relyingparty/verifyPhoneNumber
    identity POST identitytoolkit/v3/relyingparty/sendVerificationCode
    identity POST identitytoolkit/v3/relyingparty/createAuthUri
    identity POST identitytoolkit/v3/relyingparty/getAccountInfo
    identity POST identitytoolkit/v3/relyingparty/setAccountInfo
    identity POST identitytoolkit/v3/relyingparty/deleteAccount
    identity POST identitytoolkit/v3/relyingparty/getOobConfirmationCode
    identity POST identitytoolkit/v3/relyingparty/resetPassword
    identity GET identitytoolkit/v3/relyingparty/getProjectConfig
    identity GET identitytoolkit/v3/relyingparty/getRecaptchaParam
    identity POST identitytoolkit/v3/relyingparty/verifyClient
    identity POST v1/token

    # Accounts, as admin SDKs manage them.
    who: operator console viewer all identity
    identity POST v1/accounts:query
    identity POST v1/projects/{project}/accounts:lookup
    identity POST v1/projects/{project}/tenants/{tenant}/accounts:lookup
    identity POST v1/projects/{project}/accounts:query
    identity POST v1/projects/{project}/tenants/{tenant}/accounts:query
    identity POST v1/projects/{project}:queryAccounts
    identity POST v1/projects/{project}/tenants/{tenant}:queryAccounts
    identity GET v2/projects/{project}/config
    identity GET admin/v2/projects/{project}/config
    identity GET v2/projects/{project}/tenants
    identity GET v2/projects/{project}/tenants/{tenant}
    identity GET v2/projects/{project}/oauthIdpConfigs
    identity GET v2/projects/{project}/oauthIdpConfigs/{config}
    identity GET v2/projects/{project}/tenants/{tenant}/oauthIdpConfigs
    identity GET v2/projects/{project}/tenants/{tenant}/oauthIdpConfigs/{config}
    identity GET v2/projects/{project}/inboundSamlConfigs
    identity GET v2/projects/{project}/inboundSamlConfigs/{config}
    identity GET v2/projects/{project}/tenants/{tenant}/inboundSamlConfigs
    identity GET v2/projects/{project}/tenants/{tenant}/inboundSamlConfigs/{config}
    identity GET v2/projects/{project}/defaultSupportedIdpConfigs
    identity GET v2/projects/{project}/tenants/{tenant}/defaultSupportedIdpConfigs
    who: operator console all identity
    identity GET v1/projects/{project}/accounts:batchGet
    identity GET v1/projects/{project}/tenants/{tenant}/accounts:batchGet
    identity * identitytoolkit/v3/relyingparty/downloadAccount
    identity DELETE v2/projects/{project}/oauthIdpConfigs/{config}
    identity DELETE v2/projects/{project}/tenants/{tenant}/oauthIdpConfigs/{config}
    identity DELETE v2/projects/{project}/inboundSamlConfigs/{config}
    identity DELETE v2/projects/{project}/tenants/{tenant}/inboundSamlConfigs/{config}
    identity * v2/projects/{project}
    identity * v2/projects/{project}/{rest}
    # `console` may disable or rename an account, too: see `AuthorityTableTests.harmlessChanges`.
    who: operator present all identity
    identity POST v1/projects/{project}/accounts
    identity POST v1/projects/{project}/tenants/{tenant}/accounts
    identity POST v1/projects/{project}/accounts:update
    identity POST v1/projects/{project}/tenants/{tenant}/accounts:update
    identity POST v1/projects/{project}/accounts:delete
    identity POST v1/projects/{project}/tenants/{tenant}/accounts:delete
    identity POST v1/projects/{project}/accounts:sendOobCode
    identity POST v1/projects/{project}/tenants/{tenant}/accounts:sendOobCode
    identity POST v1/projects/{project}/accounts:batchDelete
    identity POST v1/projects/{project}/tenants/{tenant}/accounts:batchDelete
    identity POST v1/projects/{project}/accounts:batchCreate
    identity POST v1/projects/{project}/tenants/{tenant}/accounts:batchCreate
    identity POST v1/projects/{project}:createSessionCookie
    identity POST v1/projects/{project}/tenants/{tenant}:createSessionCookie
    identity POST identitytoolkit/v3/relyingparty/uploadAccount
    identity PATCH v2/projects/{project}/config
    identity PATCH admin/v2/projects/{project}/config
    identity POST v2/projects/{project}/tenants
    identity PATCH v2/projects/{project}/tenants/{tenant}
    identity DELETE v2/projects/{project}/tenants/{tenant}
    identity POST v2/projects/{project}/oauthIdpConfigs
    identity PATCH v2/projects/{project}/oauthIdpConfigs/{config}
    identity POST v2/projects/{project}/tenants/{tenant}/oauthIdpConfigs
    identity PATCH v2/projects/{project}/tenants/{tenant}/oauthIdpConfigs/{config}
    identity POST v2/projects/{project}/inboundSamlConfigs
    identity PATCH v2/projects/{project}/inboundSamlConfigs/{config}
    identity POST v2/projects/{project}/tenants/{tenant}/inboundSamlConfigs
    identity PATCH v2/projects/{project}/tenants/{tenant}/inboundSamlConfigs/{config}

    # The server's own administration.
    who: operator console viewer
    identity POST hearth/v1/status
    identity POST hearth/v1/tokens:standing
    identity POST hearth/v1/serviceAccounts:list
    identity POST hearth/v1/keys:list
    identity POST hearth/v1/trust:list
    identity POST hearth/v1/secrets:list
    identity POST hearth/v1/audit:tail
    identity POST hearth/v1/audit:verify
    identity POST hearth/v1/{rest}
    who: operator console
    identity POST hearth/v1/users:revoke
    who: operator present
    identity POST hearth/v1/users:export
    identity POST hearth/v1/users:checkPasswords
    identity POST hearth/v1/serviceAccounts:create
    identity POST hearth/v1/serviceAccounts:disable
    identity POST hearth/v1/serviceAccounts:removeKey
    identity POST hearth/v1/keys:rotate
    identity POST hearth/v1/trust:set
    identity POST hearth/v1/keys:remove
    identity POST hearth/v1/secrets:rotate
    identity POST hearth/v1/secrets:remove
    identity POST hearth/v1/providers:importSAML

    # Public endpoints, and the emulator's endpoints for test suites.
    who: emulator
    identity DELETE emulator/v1/projects/{project}/accounts
    identity GET emulator/v1/projects/{project}/oobCodes
    identity GET emulator/v1/projects/{project}/verificationCodes
    identity GET emulator/v1/projects/{project}/config
    identity PATCH emulator/v1/projects/{project}/config
    identity DELETE emulator/v1/projects/{project}/tenants/{tenant}/accounts
    identity GET emulator/v1/projects/{project}/tenants/{tenant}/oobCodes
    identity GET emulator/v1/projects/{project}/tenants/{tenant}/verificationCodes
    who: everybody
    identity GET v1/sessionCookiePublicKeys
    identity GET identitytoolkit/v3/relyingparty/publicKeys
    identity GET {project}/.well-known/openid-configuration
    identity GET {project}/.well-known/jwks.json
    identity GET robot/v1/metadata/x509/securetoken@system.gserviceaccount.com
    identity GET service_accounts/v1/jwk/securetoken@system.gserviceaccount.com
    identity GET service_accounts/v1/metadata/jwk/securetoken@system.gserviceaccount.com
    identity POST token
    identity POST v2/{namespace}/users
    identity DELETE v2/{namespace}/users/{email}
    identity PUT v2/{namespace}/users/{email}/password
    identity POST v2/{namespace}/users/{email}/password
    identity PUT v2/{namespace}/users/{email}/email
    identity GET v2/{namespace}/auth/password
    identity GET v2/{namespace}/auth/anonymous
    identity GET v2/{namespace}/auth/session
    identity GET v2/{namespace}/auth/{provider}/token
    identity * v2/{namespace}/users
    identity * v2/{namespace}/users/{rest}
    identity * v2/{namespace}/auth
    identity * v2/{namespace}/auth/{rest}
    where: port node
    identity * __/auth/action
    identity * emulator/action
    identity * __/auth/links
    identity * __/auth/handler
    identity * __/auth/redirect/{provider}
    identity * __/auth/redirect/{home}/{provider}
    identity * __/auth/iframe
    identity * emulator/auth/handler
    identity * emulator/auth/iframe
    identity * __/auth/saml/metadata
    identity * __/firebase/init.json

    # The console, which accepts only its own sessions.
    where: port node own
    who: everybody
    console session POST
    console download/ GET
    who: operations
    console server/ *
    who: console viewer
    console session GET
    console session DELETE
    console session/presence POST
    console databases GET
    console credential POST
    console outline GET
    console download POST
    console events GET
    console rules/coverage GET
    console rules/check POST
    console rules/forecast POST
    console try POST
    console denials/ GET
    console now/figures GET
    console now/connections GET
    console now/listens GET
    console now/log GET
    console now/state GET
    console now/doctor GET
    console now/doctor POST
    console now/backups GET
    console people GET
    console people/one GET
    who: present
    console now/backups POST
    who: console
    console now/disconnect POST

    # Requests of the console's page that the console forwards to the server: see `ConsoleProxyTable`.
    who: console viewer
    proxy GET .settings/rules.json
    proxy GET .settings/rules/versions.json
    proxy GET .settings/rules/versions/*.json
    proxy GET .settings/rules/staged.json
    proxy POST .settings/rules/decide.json
    proxy GET .settings/denials/*.json
    proxy GET .settings/receipts.json
    proxy GET .settings/history.json
    proxy GET .inspect/databases.json
    proxy GET .settings/triggers.json
    proxy GET .settings/triggers/*.json
    proxy GET .settings/triggers/*/dead.json
    proxy GET .metrics
    proxy GET .settings/plugins.json
    proxy GET .settings/cluster.json
    proxy POST accounts:query
    proxy POST accounts:lookup
    proxy GET tenants
    proxy GET tenants/{tenant}
    proxy POST tenants/{tenant}/accounts:query
    proxy POST tenants/{tenant}/accounts:lookup
    proxy POST hearth/v1/status
    proxy POST hearth/v1/audit:tail
    proxy POST hearth/v1/audit:verify
    proxy POST hearth/v1/serviceAccounts:list
    proxy POST hearth/v1/keys:list
    proxy POST hearth/v1/trust:list
    proxy POST hearth/v1/secrets:list
    who: console
    proxy PUT .settings/rules/staged.json
    proxy DELETE .settings/rules/staged.json
    proxy POST .settings/rules/staged.json
    proxy POST .settings/triggers/*/replay.json
    proxy POST .settings/databases.json
    proxy POST hearth/v1/users:revoke
    who: present
    proxy POST .settings/rules/versions.json
    proxy POST .settings/rules/rollback.json
    proxy POST .settings/rules/promote.json
    proxy DELETE .settings/databases/*.json
    proxy POST .settings/plugins.json
    proxy POST accounts
    proxy POST accounts:update
    proxy POST accounts:batchCreate
    proxy POST accounts:sendOobCode
    proxy POST accounts:delete
    proxy POST tenants
    proxy PATCH tenants/{tenant}
    proxy DELETE tenants/{tenant}
    proxy POST tenants/{tenant}/accounts
    proxy POST tenants/{tenant}/accounts:update
    proxy POST tenants/{tenant}/accounts:batchCreate
    proxy POST tenants/{tenant}/accounts:sendOobCode
    proxy POST tenants/{tenant}/accounts:delete
    proxy POST hearth/v1/keys:rotate
    proxy POST hearth/v1/trust:set
    proxy POST hearth/v1/keys:remove
    proxy POST hearth/v1/secrets:rotate
    proxy POST hearth/v1/secrets:remove
    proxy POST hearth/v1/serviceAccounts:create
    proxy POST hearth/v1/serviceAccounts:disable
    proxy POST hearth/v1/serviceAccounts:removeKey
    """
}
