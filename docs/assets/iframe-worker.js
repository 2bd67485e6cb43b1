// Browsers refuse workers to pages opened from a disk. The search of the theme runs in one, so there it gets a hidden
// frame instead, with the few things of a worker that it uses. The theme looks for the name IFrameWorker.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.inside.importScripts = (...urls) =>
        urls.reduce((before, src) => before.then(() => this.load(src)), Promise.resolve());
      this.ready = this.load(url);
    }
    load(src) {
      return new Promise((resolve, reject) => {
        const script = this.inside.document.createElement("script");
        script.src = src;
        script.onload = () => resolve();
        script.onerror = () => reject(new Error(`cannot load ${src}`));
        this.inside.document.body.appendChild(script);
      });
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {
      this.inside.frameElement.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}
