// Puts the code of a link into the form. It stands behind the #, which browsers send to nobody.
const field = document.querySelector("input[name=code]");
if (field && location.hash.length > 1) {
  field.value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
}
