// A stand-in for the web SDK where that is not to be had: it sends what the SDK sends for these calls, and nothing else.
var firebase = (() => {
  const auth = {currentUser: null, emulator: null};
  async function post(operation, body) {
    const answer = await fetch(`${auth.emulator}/identitytoolkit.googleapis.com/v1/accounts:${operation}?key=any`, {
      method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)
    });
    const json = await answer.json();
    if (!answer.ok) throw Object.assign(new Error(json.error.message), {code: json.error.message.split(' : ')[0]});
    return json;
  }
  function keep(json, operationType) {
    let token = json.idToken;
    const user = {uid: json.localId, getIdToken: async () => token};
    auth.currentUser = user;
    return {user, operationType};
  }
  function show(credential, more) {
    const form = new URLSearchParams({id_token: credential.idToken, providerId: credential.providerId});
    return post('signInWithIdp', {
      requestUri: 'http://localhost', returnSecureToken: true, postBody: form.toString(), ...more
    });
  }
  return {
    initializeApp: () => ({}), getAuth: () => auth,
    connectAuthEmulator: (auth, url) => { auth.emulator = url; },
    createUserWithEmailAndPassword: async (auth, email, password) =>
      keep(await post('signUp', {email, password, returnSecureToken: true}), 'signIn'),
    signOut: async () => { auth.currentUser = null; },
    signInWithCredential: async (auth, credential) => keep(await show(credential, {}), 'signIn'),
    linkWithCredential: async (user, credential) =>
      keep(await show(credential, {idToken: await user.getIdToken()}), 'link'),
    OAuthProvider: class {
      constructor(providerId) { this.providerId = providerId; }
      credential({idToken}) { return {providerId: this.providerId, idToken}; }
    }
  };
})();
