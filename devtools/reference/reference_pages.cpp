#include "devtools/reference/reference_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/io/gunzip.h"
#include "devtools/reference/guide_pages.h"
#include "devtools/reference/html_text.h"
#include "devtools/reference/reference_style.h"
#include "runtime/registry/function_theme.h"
#include "runtime/registry/registry.h"

namespace pelorus {

namespace {

constexpr size_t kMaxRelated = 12, kMaxSearchedText = 4000;

// "window functions" is the page themes/window-functions.html.
std::string fileOf(std::string_view theme) {
    std::string name(theme);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == ' ' || c == '/'; }, '-');
    return name + ".html";
}

std::string whole(std::string_view title, std::string_view toRoot, std::string_view body) {
    return fmt::format(R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{0} · Pelorus</title><link rel="icon" href="{1}icon.svg"><link rel="stylesheet" href="{1}reference.css"><script src="{1}search.js" defer></script></head>
<body data-root="{1}"><header><a href="{1}index.html">Reference</a>
<input id="search" type="search" placeholder="Search functions and pages" aria-label="Search functions and pages" autocomplete="off">
<ul id="found" aria-live="polite"></ul></header>
<main>
{2}
</main></body></html>
)",
                       htmlEscaped(title), toRoot, body);
}

std::string linkTo(std::string_view function, std::string_view toRoot) {
    return fmt::format("<a href=\"{}functions/{}.html\"><code>{}</code></a>", toRoot, htmlEscaped(function),
                       htmlEscaped(function));
}

std::string part(std::string_view head, std::string_view text) {
    return text.empty() ? "" : fmt::format("<h2>{}</h2>\n{}\n", head, htmlProse(text));
}

// "X: …" a line; lines without a name go on with the parameter above.
std::string parameters(std::string_view lines) {
    std::string out;
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find('\n'));
        const size_t colon = line.find(':');
        const bool isNamed =
            colon != std::string_view::npos && line.substr(0, colon).find(' ') == std::string_view::npos;
        out += isNamed ? fmt::format("<dt><code>{}</code></dt><dd>{}</dd>\n", htmlEscaped(line.substr(0, colon)),
                                     htmlProse(line.substr(std::min(line.size(), colon + 1))))
                       : fmt::format("<dd>{}</dd>\n", htmlProse(line));
        lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    }
    return out.empty() ? "" : "<h2>Parameters</h2>\n<dl>\n" + out + "</dl>\n";
}

std::string functionPage(const BuiltinFunction& function) {
    const FunctionDoc& doc = function.doc();
    std::string body = fmt::format("<h1>{}</h1>\n<pre><code>{}</code></pre>\n{}\n", htmlEscaped(function.name()),
                                   htmlEscaped(function.syntax()), htmlProse(doc.summary));
    body += parameters(doc.parameters) + part("Units", doc.units) + part("NULL", doc.nulls) +
            part("Errors", doc.errors) + part("Complexity", doc.complexity) + part("Source", doc.source);
    if (!doc.example.empty())
        body += fmt::format("<h2>Example</h2>\n<pre><code>{}</code></pre>\n", htmlEscaped(doc.example));
    const std::vector<std::string_view> related = relatedFunctions(function.name(), kMaxRelated);
    const std::string_view theme = themeOfFunction(function.name());
    body += "<h2>See also</h2>\n<p>";
    for (const std::string_view other : related) body += linkTo(other, "../") + " ";
    if (!theme.empty()) body += fmt::format("<a href=\"../themes/{}\">all {}</a>", fileOf(theme), htmlEscaped(theme));
    return whole(function.name(), "../", body + "</p>");
}

std::string listOf(const std::vector<std::string_view>& functions, std::string_view toRoot) {
    std::string list = "<ul class=\"functions\">\n";
    for (const std::string_view name : functions) {
        const BuiltinFunction* function = FunctionRegistry::instance().find(name);
        if (!function) continue;
        list += fmt::format("<li>{} {}</li>\n", linkTo(name, toRoot), htmlEscaped(function->doc().summary));
    }
    return list + "</ul>";
}

std::string themePage(std::string_view theme) {
    return whole(theme, "../",
                 fmt::format("<h1>{}</h1>\n{}", htmlEscaped(theme), listOf(functionsOfTheme(theme), "../")));
}

std::string indexPage() {
    std::string body = guideIndex() + fmt::format("<h1>Functions</h1>\n<p>{} functions in {} themes.</p>\n<ul>\n",
                                                  FunctionRegistry::instance().names().size(), functionThemes().size());
    for (const std::string_view theme : functionThemes()) {
        body += fmt::format("<li><a href=\"themes/{}\">{}</a> ({})</li>\n", fileOf(theme), htmlEscaped(theme),
                            functionsOfTheme(theme).size());
    }
    return whole("Reference", "", body + "</ul>");
}

// pelorusFunctions = [["wavg", "wavg(X, Y)", "The mean of …"], …] and pelorusPages = [["Joins", "Tables and queries",
// "A join …", "guide/language/tables.html#joins"], …]: what the search looks in. A script, since a page
// that is read from a file may load nothing else. Made once: the registry is filled before the first page is asked for.
const std::string& searchedList() {
    static const std::string script = [] {
        nlohmann::json list = nlohmann::json::array();
        for (const std::string_view name : FunctionRegistry::instance().names()) {
            const BuiltinFunction* function = FunctionRegistry::instance().find(name);
            list.push_back({name, function->syntax(), std::string_view(function->doc().summary)});
        }
        nlohmann::json pages = nlohmann::json::array();
        forEachGuideSection([&](const MarkdownSection& section, const std::string& page, const std::string& address) {
            pages.push_back({section.heading, page, section.text.substr(0, kMaxSearchedText), address});
        });
        const auto text = [](const nlohmann::json& json) {
            return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
        };
        return "window.pelorusFunctions = " + text(list) + ";\nwindow.pelorusPages = " + text(pages) + ";\n";
    }();
    return script;
}

// Returns the name in "FOLDER/NAME.html"; empty for other paths.
std::string_view nameIn(std::string_view path, std::string_view folder) {
    constexpr std::string_view kEnd = ".html";
    if (!path.starts_with(folder) || !path.ends_with(kEnd) || path.size() <= folder.size() + kEnd.size()) return {};
    return path.substr(folder.size(), path.size() - folder.size() - kEnd.size());
}

constexpr const char *kHtml = "text/html; charset=utf-8", *kCss = "text/css; charset=utf-8",
                     *kScript = "text/javascript; charset=utf-8", *kIcon = "image/svg+xml";

}  // namespace

std::optional<ReferencePage> referencePage(std::string_view path) {
    if (path.empty() || path == "index.html") return ReferencePage{kHtml, indexPage(), {}};
    if (path == "reference.css") return ReferencePage{kCss, std::string(kReferenceStyle), {}};
    if (path == "icon.svg") return ReferencePage{kIcon, std::string(kReferenceIcon), {}};
    if (path == "search.js") return ReferencePage{kScript, std::string(kReferenceSearch), {}};
    if (path == "functions.js") {
        static const std::string packed = gzip(searchedList());
        return ReferencePage{kScript, searchedList(), packed};
    }
    if (const std::string_view name = nameIn(path, "functions/"); !name.empty()) {
        const BuiltinFunction* function = FunctionRegistry::instance().find(name);
        if (function) return ReferencePage{kHtml, functionPage(*function), {}};
    }
    if (const std::optional<GuidePage> page = guidePage(path))
        return ReferencePage{kHtml, whole(page->title, page->toRoot, page->body), {}};
    for (const std::string_view theme : functionThemes()) {
        if (path == "themes/" + fileOf(theme)) return ReferencePage{kHtml, themePage(theme), {}};
    }
    return std::nullopt;
}

void forEachReferencePath(const std::function<void(const std::string& path)>& take) {
    for (const char* path : {"index.html", "reference.css", "icon.svg", "search.js", "functions.js"}) take(path);
    forEachGuidePath(take);
    for (const std::string_view theme : functionThemes()) take("themes/" + fileOf(theme));
    for (const std::string_view name : FunctionRegistry::instance().names())
        take(fmt::format("functions/{}.html", name));
}

}  // namespace pelorus
