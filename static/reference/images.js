"use strict";

// ReDoc shows its maker's logo from a server of theirs, which our policy refuses, and browsers report
// as an error. A logo that fails to load is hidden: one of another host fails without being requested.
const image = HTMLImageElement.prototype;
const { set: load, ...source } = Object.getOwnPropertyDescriptor(image, "src");

function loadOurs(address) {
  const { protocol, origin } = new URL(address, document.baseURI);
  if (protocol === "data:" || origin === location.origin) {
    load.call(this, address);
  } else {
    setTimeout(() => this.dispatchEvent(new Event("error")));
  }
}

// React sets both.
Object.defineProperty(image, "src", { ...source, set: loadOurs });
image.setAttribute = function (name, value) {
  if (name === "src") {
    loadOurs.call(this, value);
  } else {
    Element.prototype.setAttribute.call(this, name, value);
  }
};
