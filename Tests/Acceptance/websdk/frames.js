// A stand-in for Google's frame library, for tests on machines that do not reach Google: what the web SDK and the
// server's pages ask of it, over messages of its own between a page and a frame in it. It shows that the two ends fit
// together; what travels between them in the real library is Google's affair.
(function () {
  'use strict';
  var handlers = new Map(), answers = new Map(), last = 0;
  var frames = new Map();

  function Iframe(target) { this.target = target; }
  Iframe.prototype.register = function (name, handler) {
    if (!handlers.has(this.target())) handlers.set(this.target(), {});
    var mine = handlers.get(this.target());
    (mine[name] = mine[name] || []).push(handler);
  };
  Iframe.prototype.send = function (name, data, done) {
    var id = ++last;
    if (done) answers.set(id, done);
    this.target().postMessage({frames: 'call', id: id, name: name, data: data}, '*');
  };
  Iframe.prototype.restyle = function () { return Promise.resolve(); };
  Iframe.prototype.ping = function () {
    var frame = this;
    return new Promise(function (resolve) {
      var timer = setInterval(function () {
        frame.send('_ping', null, function (results) {
          if (!results.length) return;
          clearInterval(timer);
          resolve(results);
        });
      }, 50);
    });
  };

  addEventListener('message', function (message) {
    var data = message.data;
    if (!data || !data.frames) return;
    if (data.frames === 'answer') {
      var done = answers.get(data.id);
      answers.delete(data.id);
      if (done) done(data.results);
      return;
    }
    var mine = handlers.get(message.source);
    var results = ((mine && mine[data.name]) || []).map(function (handler) { return handler(data.data); });
    message.source.postMessage({frames: 'answer', id: data.id, results: results}, message.origin);
  });

  var context = {
    open: function (options, opened) {
      var element = document.createElement('iframe');
      Object.keys(options.attributes || {}).forEach(function (name) {
        var value = options.attributes[name];
        if (name === 'style') Object.assign(element.style, value); else element.setAttribute(name, value);
      });
      element.src = options.url;
      options.where.appendChild(element);
      var frame = new Iframe(function () { return element.contentWindow; });
      return Promise.resolve(opened(frame)).then(function () { return frame; });
    },
    getParentIframe: function () {
      var frame = new Iframe(function () { return window.parent; });
      frame.register('_ping', function () { return true; });
      return frame;
    }
  };
  window.gapi = {
    load: function (name, options) { setTimeout(options.callback || options, 0); },
    iframes: {CROSS_ORIGIN_IFRAMES_FILTER: function () { return true; }, Iframe: Iframe,
      getContext: function () { return context; }}
  };
  var script = document.currentScript && new URL(document.currentScript.src);
  var name = script && script.searchParams.get('onload');
  var begin = name ? window[name] : window.gapi_onload;
  if (begin) begin();
})();
