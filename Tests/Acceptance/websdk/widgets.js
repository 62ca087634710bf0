// Stands in for the libraries of captchas' widgets, which are not to be had on every machine: a button, and tokens that are made up.
'use strict';
(() => {
  let made = 0;
  const widgets = [];
  const token = key => `good-${key}-${made++}`;
  const library = {
    ready: work => work(),
    render: (container, parameters) => {
      const id = widgets.push(parameters) - 1;
      if (parameters.size === 'invisible') return id;
      const button = document.createElement('button');
      button.textContent = 'I am a person';
      button.style.padding = '1rem';
      button.addEventListener('click', () => parameters.callback(token(parameters.sitekey)));
      document.getElementById(container).append(button);
      return id;
    },
    execute: (id, options) => {
      if (options) return Promise.resolve(token(id));
      setTimeout(() => widgets[id].callback(token(widgets[id].sitekey)));
    }
  };
  const source = new URL(document.currentScript.src);
  window[{'www.google.com': 'grecaptcha', 'js.hcaptcha.com': 'hcaptcha'}[source.host] || 'turnstile'] = library;
  window[source.searchParams.get('onload')]();
})();
