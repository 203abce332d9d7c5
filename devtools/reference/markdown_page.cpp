#include "devtools/reference/markdown_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "devtools/reference/html_text.h"

namespace pelorus {

namespace {

constexpr std::string_view kFence = "```";
constexpr int kMaxDepth = 4;  // of lists within lists

std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string_view trimmed(std::string_view line) {
    while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    return line;
}

size_t indentOf(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

bool isBlank(std::string_view line) {
    return indentOf(line) == line.size();
}

// Returns the level of a heading; 0 for other lines.
size_t headingLevel(std::string_view line) {
    const size_t level = std::min(line.find_first_not_of('#'), line.size());
    return level <= 6 && level < line.size() && line[level] == ' ' ? level : 0;
}

// Returns the width of "* ", "- " or "12. " with what is before it; 0 for other lines.
size_t itemWidth(std::string_view line) {
    const size_t indent = indentOf(line);
    const std::string_view rest = line.substr(indent);
    if (rest.starts_with("* ") || rest.starts_with("- ")) return indent + 2;
    size_t digits = 0;
    while (digits < rest.size() && std::isdigit(static_cast<unsigned char>(rest[digits])) != 0) ++digits;
    return digits > 0 && digits < 4 && rest.substr(digits).starts_with(". ") ? indent + digits + 2 : 0;
}

bool isNumbered(std::string_view line) {
    return std::isdigit(static_cast<unsigned char>(trimmed(line)[0])) != 0;
}

// Cuts "| a | b \| c |" at the bars that stand for themselves.
std::vector<std::string> cellsOf(std::string_view row) {
    row = trimmed(row);
    if (row.starts_with('|')) row.remove_prefix(1);
    if (row.ends_with('|') && !row.ends_with("\\|")) row.remove_suffix(1);
    std::vector<std::string> cells(1);
    for (size_t i = 0; i < row.size(); ++i) {
        if (row.substr(i).starts_with("\\|")) {
            cells.back() += row[++i];
        } else if (row[i] == '|') {
            cells.emplace_back();
        } else {
            cells.back() += row[i];
        }
    }
    for (std::string& cell : cells) cell = std::string(trimmed(cell));
    return cells;
}

class Page {
public:
    explicit Page(const LinkRule& link) : link_(link) {}

    // Returns the HTML of lines that are indented by nothing. `depth`: of the list that they are in.
    std::string blocks(const std::vector<std::string_view>& lines, int depth) const {
        std::string html;
        for (size_t at = 0; at < lines.size();) {
            const std::string_view line = lines[at];
            if (isBlank(line)) {
                ++at;
            } else if (line.starts_with(kFence)) {
                html += fenced(lines, at);
            } else if (const size_t level = headingLevel(line); level > 0) {
                html += heading(line.substr(level + 1), level);
                ++at;
            } else if (indentOf(line) >= 4) {
                html += indented(lines, at);
            } else if (line.starts_with('|')) {
                html += table(lines, at);
            } else if (itemWidth(line) > 0 && depth < kMaxDepth) {
                html += list(lines, at, depth);
            } else {
                html += paragraph(lines, at);
            }
        }
        return html;
    }

private:
    std::string inlines(std::string_view text) const { return htmlOfInline(text, link_); }

    std::string heading(std::string_view text, size_t level) const {
        return fmt::format("<h{0} id=\"{1}\">{2}</h{0}>\n", level, htmlEscaped(headingId(text)), inlines(text));
    }

    static std::string code(const std::string& text, std::string_view language) {
        const std::string mark = language.empty() ? "" : fmt::format(" class=\"{}\"", htmlEscaped(language));
        return fmt::format("<pre><code{}>{}</code></pre>\n", mark, htmlEscaped(text));
    }

    static std::string fenced(const std::vector<std::string_view>& lines, size_t& at) {
        const std::string_view words = trimmed(lines[at].substr(kFence.size()));
        std::string text;
        for (++at; at < lines.size() && !lines[at].starts_with(kFence); ++at) text += std::string(lines[at]) + '\n';
        if (at < lines.size()) ++at;
        return code(text, words.substr(0, words.find(' ')));
    }

    static std::string indented(const std::vector<std::string_view>& lines, size_t& at) {
        std::string text, blanks;
        for (; at < lines.size() && (isBlank(lines[at]) || indentOf(lines[at]) >= 4); ++at) {
            if (isBlank(lines[at])) {
                blanks += '\n';
                continue;
            }
            text += blanks + std::string(lines[at].substr(4)) + '\n';
            blanks.clear();
        }
        return code(text, "");
    }

    std::string table(const std::vector<std::string_view>& lines, size_t& at) const {
        std::string html = "<div class=\"table\"><table>\n";
        for (size_t row = 0; at < lines.size() && lines[at].starts_with('|'); ++at, ++row) {
            if (row == 1 && lines[at].find_first_not_of("|-: ") == std::string_view::npos) continue;
            const char* tag = row == 0 ? "th" : "td";
            html += "<tr>";
            for (const std::string& cell : cellsOf(lines[at]))
                html += fmt::format("<{0}>{1}</{0}>", tag, inlines(cell));
            html += "</tr>\n";
        }
        return html + "</table></div>\n";
    }

    std::string list(const std::vector<std::string_view>& lines, size_t& at, int depth) const {
        const bool isOrdered = isNumbered(lines[at]);
        const size_t indent = indentOf(lines[at]);
        std::string html = isOrdered ? "<ol>\n" : "<ul>\n";
        while (at < lines.size() && itemWidth(lines[at]) > 0 && indentOf(lines[at]) == indent &&
               isNumbered(lines[at]) == isOrdered) {
            const size_t width = itemWidth(lines[at]);
            std::vector<std::string_view> item{lines[at].substr(width)};
            for (++at; at < lines.size(); ++at) {
                // A blank line ends an item unless what follows is indented as it is.
                if (isBlank(lines[at])) {
                    const bool goesOn =
                        at + 1 < lines.size() && !isBlank(lines[at + 1]) && indentOf(lines[at + 1]) >= width;
                    if (!goesOn) break;
                } else if (indentOf(lines[at]) < width) {
                    break;
                }
                item.push_back(lines[at].substr(std::min(width, lines[at].size())));
            }
            while (at + 1 < lines.size() && isBlank(lines[at]) && itemWidth(lines[at + 1]) > 0) ++at;
            html += "<li>" + unwrapped(blocks(item, depth + 1)) + "</li>\n";
        }
        return html + (isOrdered ? "</ol>\n" : "</ul>\n");
    }

    // An item of one paragraph has no tag around it.
    static std::string unwrapped(std::string html) {
        constexpr std::string_view kOpen = "<p>", kClose = "</p>\n";
        if (!html.starts_with(kOpen)) return html;
        const size_t end = html.find(kClose);
        const std::string rest = html.substr(end + kClose.size());
        return html.substr(kOpen.size(), end - kOpen.size()) + (rest.empty() ? "" : "\n" + rest);
    }

    std::string paragraph(const std::vector<std::string_view>& lines, size_t& at) const {
        std::string text;
        const size_t first = at;
        for (; at < lines.size() && !isBlank(lines[at]); ++at) {
            const bool isOther = lines[at].starts_with(kFence) || headingLevel(lines[at]) > 0 ||
                                 lines[at].starts_with('|') || itemWidth(lines[at]) > 0;
            if (at > first && isOther) break;
            text += (text.empty() ? "" : " ") + std::string(trimmed(lines[at]));
        }
        return "<p>" + inlines(text) + "</p>\n";
    }

    const LinkRule& link_;
};

}  // namespace

std::string htmlOfMarkdown(std::string_view page, const LinkRule& link) {
    return Page(link).blocks(linesOf(page), 0);
}

std::vector<MarkdownSection> sectionsOfMarkdown(std::string_view page) {
    std::vector<MarkdownSection> sections;
    bool isCode = false;
    for (const std::string_view line : linesOf(page)) {
        isCode ^= line.starts_with(kFence);
        const size_t level = isCode ? 0 : headingLevel(line);
        if (level > 0) {
            const std::string_view heading = line.substr(level + 1);
            sections.push_back({plainInline(heading), sections.empty() ? "" : headingId(heading), ""});
        } else if (!sections.empty() && !isBlank(line) && !line.starts_with(kFence)) {
            std::string& text = sections.back().text;
            text += (text.empty() ? "" : " ") + plainInline(trimmed(line));
        }
    }
    return sections;
}

}  // namespace pelorus
