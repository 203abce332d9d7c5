// The looks and the search of the pages of the reference.
#pragma once

#include <string_view>

namespace pelorus {

inline constexpr std::string_view kReferenceStyle =
    R"(:root { color-scheme: light dark; --line: #8884; --link: #0a5fb4; }
@media (prefers-color-scheme: dark) { :root { --link: #7cb8f2; } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 46rem; padding: 0 1rem 4rem; }
header { align-items: center; border-bottom: 1px solid var(--line); display: flex; gap: 1rem; padding: .75rem 0; position: relative; }
a { color: var(--link); }
input { flex: 1; font: inherit; padding: .3rem .5rem; }
#found { background: Canvas; border: 1px solid var(--line); left: 0; list-style: none; margin: 0; max-height: 60vh; overflow: auto; padding: .5rem; position: absolute; right: 0; top: 100%; }
#found:empty { display: none; }
#found li { padding: .15rem 0; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.05rem; margin: 1.5rem 0 .25rem; }
pre { background: #8881; border-radius: 4px; overflow-x: auto; padding: .6rem .8rem; }
code { font-family: ui-monospace, monospace; font-size: .92em; }
dt { font-weight: 600; margin-top: .5rem; } dd { margin: 0 0 0 1rem; } dd p, .functions li { margin: .15rem 0; }
)";

// Finds functions by their names first, then by their summaries; arrow keys and Enter open one.
inline constexpr std::string_view kReferenceSearch = R"("use strict";
const root = document.body.dataset.root, field = document.getElementById("search"), found = document.getElementById("found");
let loading = null;
function functions() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = root + "functions.js";
    script.onload = () => resolve(window.pelorusFunctions);
    script.onerror = reject;
    document.head.append(script);
  });
  return loading;
}
function shown(matches) {
  found.replaceChildren(...matches.slice(0, 20).map(([name, syntax, summary]) => {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = root + "functions/" + encodeURIComponent(name) + ".html";
    link.textContent = syntax;
    item.append(link, " " + summary);
    return item;
  }));
}
field.addEventListener("input", async () => {
  const word = field.value.trim().toLowerCase();
  if (!word) return shown([]);
  const all = await functions(), rank = ([name, , summary]) => {
    const lower = name.toLowerCase();
    return lower === word ? 0 : lower.startsWith(word) ? 1 : lower.includes(word) ? 2 : summary.toLowerCase().includes(word) ? 3 : 4;
  };
  shown(all.map(one => [rank(one), one]).filter(([r]) => r < 4).sort((a, b) => a[0] - b[0]).map(([, one]) => one));
});
field.addEventListener("keydown", event => {
  if (event.key === "Enter") found.querySelector("a")?.click();
  if (event.key === "ArrowDown") { event.preventDefault(); found.querySelector("a")?.focus(); }
  if (event.key === "Escape") { field.value = ""; shown([]); }
});
)";

}  // namespace pelorus
