/// The scripts of the pages that apps on devices open. Constant texts, so that a policy can name them.
enum NativeScripts {
  /// Opens the app. Systems that do not let a page do so by itself leave the link to be tapped.
  static let back = """
    (function () {
      'use strict';
      history.replaceState(null, '', location.pathname);
      location.replace(document.getElementById('back').getAttribute('href'));
    })();
    """

  /// Puts the captcha's widget up, and takes its token to the app.
  static let captcha = """
    (function () {
      'use strict';
      var box = document.getElementById('captcha'), way = JSON.parse(box.dataset.way), made = null, over = false;
      history.replaceState(null, '', location.pathname);
      function show(name) { document.getElementById(name).hidden = false; }
      function solved(token) {
        if (over) return;
        over = true;
        var link = document.getElementById('back');
        link.setAttribute('href', way.before
          + encodeURIComponent(way.callback + '&recaptchaToken=' + encodeURIComponent(token)) + way.after);
        box.hidden = true;
        document.getElementById('failed').hidden = true;
        show('done');
        location.replace(link.getAttribute('href'));
      }
      function failed() { if (!over) show('failed'); }
      window.\(CaptchaWidget.callback) = function () {
        var library = window[box.dataset.object], kind = box.dataset.kind, key = box.dataset.key;
        if (kind === 'score') {
          library.ready(function () { library.execute(key, {action: 'verifyApp'}).then(solved, failed); });
          return;
        }
        made = library.render('captcha', {
          sitekey: key, callback: solved, 'error-callback': failed, size: kind === 'invisible' ? 'invisible' : 'normal'
        });
        if (kind === 'invisible') library.execute(made);
      };
      addEventListener('error', function (event) { if (event.target !== window) failed(); }, true);
    })();
    """

  /// On the emulator's page in a provider's place.
  static let emulator = HandlerScripts.emulatorScript(deliver)

  /// What the app is told is in the address that opens it.
  private static let deliver = """
    function deliver(message) {
      var way = message.way;
      if (message.event.error) { location.replace(way.cancelled); return; }
      var link = location.origin + '/__/auth/callback?' + message.event.postBody;
      location.replace(way.before + encodeURIComponent(
        way.callback === null ? link : way.callback + '&link=' + encodeURIComponent(link)) + way.after);
    }
    """
}
