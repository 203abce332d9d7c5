// The looks and the search of the pages of the reference.
#pragma once

#include <string_view>

namespace pelorus {

inline constexpr std::string_view kReferenceStyle =
    R"(:root { color-scheme: light dark; --line: #8884; --link: #0a5fb4; }
@media (prefers-color-scheme: dark) { :root { --link: #7cb8f2; } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 66rem; padding: 0 1rem 4rem; }
main > :is(p, ul, ol, dl, h1, h2, h3) { max-width: 46rem; }
header { align-items: center; border-bottom: 1px solid var(--line); display: flex; gap: 1rem; padding: .75rem 0; position: relative; }
a { color: var(--link); }
input { flex: 1; font: inherit; padding: .3rem .5rem; }
#found { background: Canvas; border: 1px solid var(--line); left: 0; list-style: none; margin: 0; max-height: 60vh; overflow: auto; padding: .5rem; position: absolute; right: 0; top: 100%; }
#found:empty { display: none; }
#found li { padding: .15rem 0; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.05rem; margin: 1.5rem 0 .25rem; }
pre { background: #8881; border-radius: 4px; overflow-x: auto; padding: .6rem .8rem; }
code { font-family: ui-monospace, monospace; font-size: .92em; }
table { border-collapse: collapse; font-size: .92em; } .table { overflow-x: auto; } td:first-child code { overflow-wrap: anywhere; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .6rem .25rem 0; text-align: left; vertical-align: top; }
#found small { opacity: .7; }
dt { font-weight: 600; margin-top: .5rem; } dd { margin: 0 0 0 1rem; } dd p, .functions li { margin: .15rem 0; }
)";

inline constexpr std::string_view kReferenceIcon =
    R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#0f7b8a" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"><circle cx="12" cy="12" r="9.2"/><path d="M5.5 14.5l3.5-4 3 3 3.5-5.5 3 3"/></svg>)svg";

// Finds functions by their names first, then headings of pages, then what is in summaries and pages; arrow keys and
// Enter open one.
inline constexpr std::string_view kReferenceSearch = R"("use strict";
const root = document.body.dataset.root, field = document.getElementById("search"), found = document.getElementById("found");
let loading = null;
function everything() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = root + "functions.js";
    script.onload = () => resolve([
      ...window.pelorusFunctions.map(([name, syntax, summary]) =>
        ({ name, shown: syntax, more: summary, text: summary, address: "functions/" + encodeURIComponent(name) + ".html" })),
      ...window.pelorusPages.map(([name, page, text, address]) => ({ name, shown: name, more: name === page ? "" : page, text, address, isPage: true })),
    ]);
    script.onerror = reject;
    document.head.append(script);
  });
  return loading;
}
function shown(matches) {
  found.replaceChildren(...matches.slice(0, 20).map(one => {
    const item = document.createElement("li"), link = document.createElement("a"), more = document.createElement("small");
    link.href = root + one.address;
    link.textContent = one.shown;
    more.textContent = one.more;
    item.append(link, " ", more);
    return item;
  }));
}
field.addEventListener("input", async () => {
  const word = field.value.trim().toLowerCase();
  if (!word) return shown([]);
  const words = word.split(/\s+/), kNone = 6, all = await everything(), rank = one => {
    const lower = one.name.toLowerCase();
    if (lower === word) return 0;
    if (lower.startsWith(word)) return one.isPage ? 2 : 1;
    if (words.every(w => lower.includes(w))) return 3;
    const text = lower + " " + one.text.toLowerCase();
    return text.includes(word) ? 4 : words.every(w => text.includes(w)) ? 5 : kNone;
  };
  shown(all.map(one => [rank(one), one]).filter(([r]) => r < kNone).sort((a, b) => a[0] - b[0]).map(([, one]) => one));
});
field.addEventListener("keydown", event => {
  if (event.key === "Enter") found.querySelector("a")?.click();
  if (event.key === "ArrowDown") { event.preventDefault(); found.querySelector("a")?.focus(); }
  if (event.key === "Escape") { field.value = ""; shown([]); }
});
)";

}  // namespace pelorus
