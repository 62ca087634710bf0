/// The scripts of the pages that native apps open. They are constant, so that a content security policy can contain
/// their hashes.
enum NativeScripts {
  /// Opens the app. Systems that do not let a page do so by itself show a link to tap.
  static let back = """
    (function () {
      'use strict';
      history.replaceState(null, '', location.pathname);
      location.replace(document.getElementById('back').getAttribute('href'));
    })();
    """

  /// Shows the captcha widget, and passes its token to the app.
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

  /// The script of the emulator's page that replaces a provider.
  static let emulator = HandlerScripts.emulatorScript(deliver)

  /// The delivery of the result by the address that opens the app.
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
