// A page that was opened from a file may start no Worker: there the search runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      this.ready = new Promise((done) => {
        frame.onload = () => {
          const inside = frame.contentWindow;
          const add = (url) => new Promise((loaded, failed) => {
            const script = inside.document.createElement("script");
            script.src = url;
            script.onload = loaded;
            script.onerror = failed;
            inside.document.head.append(script);
          });
          inside.importScripts = async (...urls) => {
            for (const url of urls) await add(url);
          };
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          add(address).then(() => done(inside));
        };
      });
      document.body.append(frame);
      this.frame = frame;
    }
    postMessage(data) {
      this.ready.then((inside) => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
