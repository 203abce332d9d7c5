#include "devtools/lsp/function_markdown.h"

#include <algorithm>

namespace pelorus {

namespace {

void addParameters(std::string& out, std::string_view lines) {
    if (lines.empty()) return;
    out += "\n";
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find('\n'));
        const size_t colon = line.find(':');
        if (colon == std::string_view::npos) {
            out += "\n  " + std::string(line);
        } else {
            out += "\n- `" + std::string(line.substr(0, colon)) + "`" + std::string(line.substr(colon));
        }
        lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    }
    out += "\n";
}

void addPart(std::string& out, std::string_view head, std::string_view text) {
    if (!text.empty()) out += "\n\n**" + std::string(head) + ":** " + std::string(text);
}

}  // namespace

std::string shortMarkdownOf(const BuiltinFunction& function) {
    std::string out(function.doc().summary);
    addParameters(out, function.doc().parameters);
    return out;
}

std::string markdownOf(const BuiltinFunction& function) {
    const FunctionDoc& doc = function.doc();
    std::string out = "```dos\n" + std::string(function.syntax()) + "\n```\n\n" + shortMarkdownOf(function);
    addPart(out, "Units", doc.units);
    addPart(out, "NULL", doc.nulls);
    addPart(out, "Errors", doc.errors);
    addPart(out, "Complexity", doc.complexity);
    addPart(out, "Source", doc.source);
    if (!doc.example.empty()) out += "\n\n```dos\n" + std::string(doc.example) + "\n```";
    return out;
}

}  // namespace pelorus
