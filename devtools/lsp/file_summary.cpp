#include "devtools/lsp/file_summary.h"

#include <algorithm>

#include "interpreter/analysis/node_children.h"
#include "runtime/code/statement.h"

namespace pelorus {

namespace {

constexpr size_t kMaxNames = 1000;

std::string stringOf(const NodeRef& node) {
    if (!node || node->kind != NodeKind::Constant) return {};
    const Value& value = static_cast<const Constant&>(*node).value;
    const bool isString = value.isScalar() && categoryOf(value.type()) == Category::Literal;
    return isString ? std::string(value.string()) : std::string();
}

// Finds the calls that make or load tables of databases.
class TableFinder {
public:
    TableFinder(const ScriptAnalysis& analysis, FileSummary& summary) : analysis_(analysis), summary_(summary) {
        sources_.variable = [this](std::string_view name) -> const ValueShape* {
            const int symbol = analysis_.resolve(name, 0);
            return symbol < 0 ? nullptr : analysis_.shapeAt(symbol, analysis_.text().size());
        };
    }

    void visit(const NodeRef& node, int depth) {
        constexpr int kMaxDepth = 100;
        if (depth > kMaxDepth) return;
        if (node->kind == NodeKind::Call) visitCall(static_cast<const Call&>(*node));
        forEachChild(*node, [&](const NodeRef& child) { visit(child, depth + 1); });
    }

private:
    void visitCall(const Call& call) {
        if (call.callee->kind != NodeKind::Name || summary_.tables.size() >= kMaxNames) return;
        const std::string& name = static_cast<const Name&>(*call.callee).name;
        const auto argument = [&](size_t i, std::string_view keyword) -> NodeRef {
            for (const Argument& a : call.arguments) {
                if (a.keyword == keyword) return a.value;
            }
            return i < call.arguments.size() && call.arguments[i].keyword.empty() ? call.arguments[i].value : NodeRef();
        };
        const auto shape = [&](const NodeRef& node) { return node ? inferShape(*node, sources_) : ValueShape(); };
        if (name == "loadTable") {
            const NodeRef database = argument(0, "database");
            std::string path = stringOf(database);
            if (path.empty()) path = shape(database).database;
            add(path, stringOf(argument(1, "tableName")), {});
        } else if (name == "createPartitionedTable" || name == "createDimensionTable" || name == "createTable") {
            add(shape(argument(0, "dbHandle")).database, stringOf(argument(2, "tableName")),
                shape(argument(1, "table")).members);
        }
    }

    void add(const std::string& database, const std::string& table, std::vector<std::string> columns) {
        if (!database.empty() && !table.empty()) summary_.tables.push_back({database, table, std::move(columns)});
    }

    const ScriptAnalysis& analysis_;
    FileSummary& summary_;
    ShapeSources sources_;
};

}  // namespace

FileSummary summaryOf(const ScriptAnalysis& analysis, PositionEncoding encoding) {
    FileSummary summary;
    summary.moduleName = analysis.moduleName();
    summary.usedModules = analysis.usedModules();
    const LineOffsets lines(analysis.text());
    for (const ScriptSymbol& symbol : analysis.symbols()) {
        if (symbol.scope != 0) continue;
        FileSymbol known;
        known.name = symbol.name;
        known.kind = symbol.kind;
        known.signature = symbol.signature;
        known.comment = symbol.comment;
        known.definition = symbol.definition;
        known.begin = lines.positionAt(analysis.text(), symbol.definition.begin, encoding);
        known.end = lines.positionAt(analysis.text(), symbol.definition.end, encoding);
        summary.symbols.push_back(std::move(known));
    }
    for (const Token& token : analysis.script().tokens) {
        if (token.kind != TokenKind::String || !token.text.starts_with("dfs://")) continue;
        const bool isKnown =
            std::find(summary.databases.begin(), summary.databases.end(), token.text) != summary.databases.end();
        if (!isKnown && summary.databases.size() < kMaxNames) summary.databases.push_back(token.text);
    }
    // Most scripts make and load no tables of databases.
    const auto& tokens = analysis.script().tokens;
    const bool hasTables = std::any_of(tokens.begin(), tokens.end(), [](const Token& token) {
        return token.kind == TokenKind::Identifier &&
               (token.source == "loadTable" || token.source.starts_with("create") || token.isKeyword("create"));
    });
    if (!hasTables) return summary;
    TableFinder finder(analysis, summary);
    for (const NodeRef& statement : analysis.script().statements) finder.visit(statement, 0);
    return summary;
}

}  // namespace pelorus
