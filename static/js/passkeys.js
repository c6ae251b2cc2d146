// Create passkeys and use them. Without this script, and in browsers that know none, the page says
// what to do instead.
"use strict";

(() => {
  const NONE = "none"; // data-passkey-says: this browser knows no passkeys, or not at this address
  const FAILED = "failed"; // or it was cancelled

  const canUse = Boolean(
    window.PublicKeyCredential?.parseCreationOptionsFromJSON && navigator.credentials,
  );

  const say = (form, what) => {
    for (const text of form.querySelectorAll("[data-passkey-says]")) {
      text.hidden = text.dataset.passkeySays !== what;
    }
  };

  const optionsOf = async (form) => {
    if (form.dataset.passkeyOptions) return JSON.parse(form.dataset.passkeyOptions);
    const answer = await fetch(form.action, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(answer.status);
    return (await answer.json()).request_options;
  };

  const create = async (form) => {
    const { publicKey } = await optionsOf(form);
    const alone = form.elements.passwordless.checked; // it will be enough to sign in
    publicKey.authenticatorSelection = {
      ...publicKey.authenticatorSelection,
      residentKey: alone ? "required" : "discouraged",
      requireResidentKey: alone,
      userVerification: alone ? "required" : "preferred",
    };
    const options = PublicKeyCredential.parseCreationOptionsFromJSON(publicKey);
    return navigator.credentials.create({ publicKey: options });
  };

  const use = async (form) => {
    const { publicKey } = await optionsOf(form);
    const options = PublicKeyCredential.parseRequestOptionsFromJSON(publicKey);
    return navigator.credentials.get({ publicKey: options });
  };

  for (const form of document.querySelectorAll("form[data-passkey]")) {
    if (!canUse) {
      say(form, NONE);
      continue;
    }
    form.querySelector("[data-passkey-button]").hidden = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      say(form, "");
      try {
        const credential = await (form.dataset.passkey === "create" ? create(form) : use(form));
        form.elements.credential.value = JSON.stringify(credential);
      } catch (error) {
        say(form, error.name === "SecurityError" ? NONE : FAILED);
        return;
      }
      form.submit(); // without another event
    });
  }
})();
