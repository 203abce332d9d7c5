#include "apps/console/error_text.h"

#include <fmt/format.h>

#include "common/error.h"
#include "interpreter/parser/parser.h"
#include "interpreter/vm/vm.h"

namespace pelorus {

static std::string_view lineOf(std::string_view script, int32_t line) {
    size_t begin = 0;
    for (int32_t i = 1; i < line; ++i) {
        size_t end = script.find('\n', begin);
        if (end == std::string_view::npos) return {};
        begin = end + 1;
    }
    return script.substr(begin, script.find('\n', begin) - begin);
}

static std::string located(std::string_view name, SourcePosition position, std::string_view message,
                           std::string_view script) {
    if (!position.known()) return fmt::format("{}: {}", name.empty() ? "Error" : name, message);
    std::string text = name.empty() ? fmt::format("Error at {}:{}: {}", position.line, position.column, message)
                                    : fmt::format("{}:{}:{}: {}", name, position.line, position.column, message);
    std::string_view line = lineOf(script, position.line);
    if (line.empty()) return text;
    text += fmt::format("\n    {}\n    ", line);
    // Tabs stay tabs and multi-byte characters take one place, so that the caret stands under the right one.
    int32_t column = 1;
    for (size_t i = 0; i < line.size() && column < position.column; ++i) {
        if ((static_cast<unsigned char>(line[i]) & 0xC0) == 0x80) continue;
        text += line[i] == '\t' ? '\t' : ' ';
        ++column;
    }
    return text + "^";
}

std::string errorText(const std::exception& error, std::string_view name, std::string_view script) {
    std::string text;
    if (auto* e = dynamic_cast<const ScriptError*>(&error)) {
        text = located(name, e->position, e->what(), script);
        constexpr size_t kShown = 8;
        for (size_t i = 0; i < e->callStack.size() && i < kShown; ++i)
            text += fmt::format("\n    in {}", e->callStack[i]);
        if (e->callStack.size() > kShown) text += fmt::format("\n    … and {} more", e->callStack.size() - kShown);
    } else if (auto* e = dynamic_cast<const SyntaxError*>(&error)) {
        text = located(name, e->position, e->what(), script);
    } else {
        text = located(name, SourcePosition(), error.what(), script);
    }
    auto* known = dynamic_cast<const Error*>(&error);
    if (known && !known->hint().empty()) text += "\n" + known->hint();
    return text;
}

}  // namespace pelorus
