// Search works on file://, where a browser lets no script read the excerpts from other pages.
if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined")
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
