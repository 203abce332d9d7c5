#include "apps/editor/unfinished_input.h"

#include "common/error.h"
#include "interpreter/parser/parser.h"
#include "runtime/code/name_uses.h"
#include "runtime/code/query.h"
#include "runtime/code/statement.h"
#include "runtime/registry/registry.h"

namespace pelorus {

namespace {

// `select a, b` waits for its `from` on the next line; an empty line says that there is none. `select 1 + 1` is whole.
bool waitsForSource(const NodeList& statements) {
    if (statements.empty() || statements.back()->kind != NodeKind::ExpressionStatement) return false;
    const Node& value = *static_cast<const ExpressionStatement&>(*statements.back()).expression;
    if (value.kind != NodeKind::Query) return false;
    const auto& query = static_cast<const Query&>(value);
    if ((query.verb != QueryVerb::Select && query.verb != QueryVerb::Exec) || query.table) return false;
    bool columns = false;
    for (const SelectItem& item : query.items) {
        columns = columns || item.value->kind == NodeKind::Star;
        forEachName(*item.value,
                    [&](const Name& name) { columns = columns || !FunctionRegistry::instance().find(name.name); });
    }
    return columns;
}

bool lastLineIsEmpty(std::string_view text) {
    const size_t end = text.find_last_not_of(" \t");
    return end != std::string_view::npos && text[end] == '\n';
}

}  // namespace

bool isUnfinished(std::string_view text) {
    try {
        const size_t last = text.find_last_not_of(" \t\n");
        const bool ended = last != std::string_view::npos && text[last] == ';';
        return waitsForSource(parseScript(text)) && !lastLineIsEmpty(text) && !ended;
    } catch (const SyntaxError& e) {
        return e.atEnd;
    } catch (const Error&) {
    }
    return false;
}

}  // namespace pelorus
