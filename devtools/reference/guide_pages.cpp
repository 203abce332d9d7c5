#include "devtools/reference/guide_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "devtools/reference/guide_sources.h"
#include "devtools/reference/html_text.h"

namespace pelorus {

namespace {

constexpr std::string_view kFolder = "guide/", kReadme = "README";

// "language/README" is the page guide/language/index.html.
std::string pathOf(std::string_view name) {
    std::string path(name);
    if (path.ends_with(kReadme)) path.replace(path.size() - kReadme.size(), kReadme.size(), "index");
    return fmt::format("{}{}.html", kFolder, path);
}

std::string titleOf(const GuideSource& source) {
    const std::string_view line = source.text.substr(0, source.text.find('\n'));
    return plainInline(line.substr(std::min(line.find_first_not_of("# "), line.size())));
}

const GuideSource* sourceOf(std::string_view name) {
    const auto sources = guideSources();
    const auto found =
        std::find_if(sources.begin(), sources.end(), [&](const GuideSource& source) { return source.name == name; });
    return found == sources.end() ? nullptr : &*found;
}

// Returns "docs/../a/./b.md" without its dots; empty where it leaves the folder.
std::string plainPath(std::string_view path) {
    std::vector<std::string_view> parts;
    while (!path.empty()) {
        const size_t end = std::min(path.find('/'), path.size());
        const std::string_view part = path.substr(0, end);
        path.remove_prefix(std::min(end + 1, path.size()));
        if (part == "..") {
            if (parts.empty()) return "";
            parts.pop_back();
        } else if (part != "." && !part.empty()) {
            parts.push_back(part);
        }
    }
    return fmt::format("{}", fmt::join(parts, "/"));
}

// Returns the address of what a page links to: another page of the guide, a place in it, or another site.
std::string addressFrom(std::string_view page, std::string_view toRoot, std::string_view target) {
    if (target.starts_with("https://") || target.starts_with("http://") || target.starts_with('#'))
        return std::string(target);
    const size_t mark = std::min(target.find('#'), target.size());
    const std::string_view file = target.substr(0, mark);
    const size_t folder = page.rfind('/');
    const std::string_view within = folder == std::string_view::npos ? "" : page.substr(0, folder + 1);
    std::string name = plainPath(fmt::format("{}{}", within, file));
    if (!name.ends_with(".md")) return "";
    name.resize(name.size() - 3);
    if (!sourceOf(name)) return "";
    return fmt::format("{}{}{}", toRoot, pathOf(name), target.substr(mark));
}

std::string listOf(GuidePart part) {
    std::string list = "<ul>\n";
    for (const GuideSource& source : guideSources()) {
        if (source.part != part || source.name.ends_with(kReadme)) continue;
        list += fmt::format("<li><a href=\"{}\">{}</a></li>\n", pathOf(source.name), htmlEscaped(titleOf(source)));
    }
    return list + "</ul>\n";
}

}  // namespace

std::optional<GuidePage> guidePage(std::string_view path) {
    if (!path.starts_with(kFolder)) return std::nullopt;
    for (const GuideSource& source : guideSources()) {
        if (pathOf(source.name) != path) continue;
        std::string toRoot;
        for (const char c : path) toRoot += c == '/' ? "../" : "";
        std::string body = htmlOfMarkdown(
            source.text, [&](std::string_view target) { return addressFrom(source.name, toRoot, target); });
        return GuidePage{titleOf(source), std::move(toRoot), std::move(body)};
    }
    return std::nullopt;
}

std::string guideIndex() {
    return fmt::format(
        "<h1>Guide</h1>\n<h2><a href=\"{}\">The language</a></h2>\n{}<h2><a href=\"{}\">How to</a></h2>\n{}"
        "<h2>Handbook</h2>\n{}",
        pathOf("language/README"), listOf(GuidePart::Language), pathOf("howto/README"), listOf(GuidePart::HowTo),
        listOf(GuidePart::Handbook));
}

void forEachGuidePath(const std::function<void(const std::string& path)>& take) {
    for (const GuideSource& source : guideSources()) take(pathOf(source.name));
}

void forEachGuideSection(const std::function<void(const MarkdownSection& section, const std::string& page,
                                                  const std::string& address)>& take) {
    for (const GuideSource& source : guideSources()) {
        const std::string title = titleOf(source), path = pathOf(source.name);
        for (const MarkdownSection& section : sectionsOfMarkdown(source.text))
            take(section, title, section.id.empty() ? path : fmt::format("{}#{}", path, section.id));
    }
}

}  // namespace pelorus
