// On narrow pages the menu opens by the label of a hidden check box, which no key reaches: it becomes a button.
(() => {
  const drawer = document.getElementById("__drawer");
  const button = document.querySelector('label.md-header__button[for="__drawer"]');
  Object.assign(button, { tabIndex: 0, role: "button", ariaLabel: "Menu" });
  button.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    drawer.click();
    if (drawer.checked) document.querySelector(".md-sidebar--primary a").focus();
  });
  // Tab closes the search, and would then stop in its list, which nobody sees.
  document.querySelector(".md-search__scrollwrap").tabIndex = -1;
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !drawer.checked) return;
    drawer.click();
    button.focus();
  });
})();
