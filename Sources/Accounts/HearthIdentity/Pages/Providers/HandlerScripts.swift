/// The scripts of the pages that SDKs open for providers. They are constant, so that a content security policy can
/// contain their hashes.
enum HandlerScripts {
  /// Google's frame library, which the SDK also loads into the app's page: both ends must use the same protocol.
  static let library = "https://apis.google.com/js/api.js"

  /// The storage key under which an event waits for the app's page, and which the app's frame watches.
  static func storageKey(apiKey: String, appName: String) -> String { "hearth:signIn:\(apiKey):\(appName)" }

  /// The frame's script: passes the app's page each event from a page of this origin, and a waiting one.
  static let frame = """
    (function () {
      'use strict';
      var query = new URLSearchParams(location.search);
      var key = 'hearth:signIn:' + query.get('apiKey') + ':' + query.get('appName');
      var app = null, waiting = [], nothing = {
        type: 'unknown', eventId: null, urlResponse: null, sessionId: null, postBody: null, tenantId: null,
        error: {code: 'auth/no-auth-event', message: 'An internal error has occurred.'}
      };
      function send(event, left, taken) {
        app.send('authEvent', {type: 'authEvent', authEvent: event}, function (answers) {
          var last = answers && answers.length ? answers[answers.length - 1] : null;
          if (last && last.status === 'ACK') taken();
          // The page does not listen yet.
          else if (!last && left > 0) setTimeout(function () { send(event, left - 1, taken); }, 250);
        }, gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
      }
      function taken(from) {
        return function () { if (from) from.postMessage({hearth: 'taken', storageKey: key}, location.origin); };
      }
      addEventListener('message', function (message) {
        var data = message.data;
        if (message.origin !== location.origin || !data || data.hearth !== 'event' || data.storageKey !== key) return;
        if (app) send(data.event, 20, taken(message.source)); else waiting.push([data.event, message.source]);
      });
      function stored() {
        try {
          var text = sessionStorage.getItem(key);
          sessionStorage.removeItem(key);
          return text && JSON.parse(text);
        } catch (error) {
          return null;
        }
      }
      function begin() {
        app = gapi.iframes.getContext().getParentIframe();
        app.register('webStorageSupport', function () {
          return {status: 'ACK', webStorageSupport: true};
        }, gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
        send(stored() || nothing, 20, taken(null));
        waiting.forEach(function (each) { send(each[0], 20, taken(each[1])); });
        waiting = [];
      }
      window.gapi_onload = function () { gapi.load('gapi.iframes', {callback: begin}); };
    })();
    """

  /// Delivers an event to the app: to the frames of this origin in the page that opened this one, or to the app's own
  /// page through the browser's storage. Messages are sent to this origin only, whatever else is framed there.
  private static let deliver = """
    function deliver(message) {
      history.replaceState(null, '', location.pathname);
      if (message.redirectUrl) {
        try { sessionStorage.setItem(message.storageKey, JSON.stringify(message.event)); } catch (error) { lost(); return; }
        location.replace(message.redirectUrl);
        return;
      }
      var left = 40, timer = 0;
      function lost() {
        document.title = document.querySelector('h1').textContent = 'The app did not respond';
        document.getElementById('waiting').hidden = true;
        document.getElementById('lost').hidden = false;
      }
      addEventListener('message', function (reply) {
        var data = reply.data;
        if (reply.origin !== location.origin || !data || data.hearth !== 'taken') return;
        if (data.storageKey !== message.storageKey) return;
        clearInterval(timer);
        close();
      });
      function tell() {
        var app = window.opener;
        if (!app || left-- <= 0) { clearInterval(timer); lost(); return; }
        for (var index = 0; index < app.length; index++) {
          app[index].postMessage(
            {hearth: 'event', storageKey: message.storageKey, event: message.event}, location.origin);
        }
      }
      timer = setInterval(tell, 250);
      tell();
    }
    """

  /// The script of the page that a provider redirects browsers to.
  static let callback = """
    (function () {
      'use strict';
      \(deliver)
      deliver(JSON.parse(document.getElementById('event').dataset.event));
    })();
    """

  /// The script of the page that posts an identity provider's answer to its own address again: a cookie of this origin
  /// is sent when a page of this origin submits the form, and not when another site's does.
  static let resubmit = """
    (function () {
      'use strict';
      document.getElementById('answer').submit();
    })();
    """

  /// The script of the emulator's page that replaces a provider: the chosen or invented user becomes an unsigned ID
  /// token.
  static let emulator = emulatorScript(deliver)

  /// - Parameter deliver: the function that passes the result to the app.
  static func emulatorScript(_ deliver: String) -> String {
    """
    (function () {
      'use strict';
      \(deliver)
      var box = document.getElementById('event');
      var message = JSON.parse(box.dataset.event), provider = box.dataset.provider;
      function end(event) {
        document.getElementById('choice').hidden = true;
        document.getElementById('waiting').hidden = false;
        Object.keys(event).forEach(function (name) { message.event[name] = event[name]; });
        deliver(message);
      }
      function comeIn(claims) {
        end({
          urlResponse: location.origin + location.pathname, sessionId: 'emulator',
          postBody: 'providerId=' + encodeURIComponent(provider) + '&id_token='
            + encodeURIComponent(JSON.stringify(claims))
        });
      }
      document.querySelectorAll('button[data-claims]').forEach(function (button) {
        button.addEventListener('click', function () { comeIn(JSON.parse(button.dataset.claims)); });
      });
      document.getElementById('new').addEventListener('submit', function (event) {
        event.preventDefault();
        var fields = event.target.elements, claims = {sub: '', email_verified: fields.verified.checked};
        var digits = new Uint32Array(4);
        crypto.getRandomValues(digits);
        claims.sub = fields.sub.value || Array.from(digits).join('').slice(0, 20);
        if (fields.email.value) claims.email = fields.email.value;
        if (fields.name.value) claims.name = fields.name.value;
        if (fields.screenName.value) claims.screen_name = fields.screenName.value;
        if (fields.picture.value) claims.picture = fields.picture.value;
        comeIn(claims);
      });
      document.getElementById('cancel').addEventListener('click', function () {
        end({error: {code: 'auth/user-cancelled', message: 'The user cancelled on the page of the provider.'}});
      });
    })();
    """
  }
}
