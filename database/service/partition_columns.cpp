#include "database/service/partition_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "interpreter/engine/engine.h"
#include "runtime/code/expression.h"
#include "runtime/registry/registry.h"

namespace pelorus {

static bool isColumn(const TableEntry& table, const Node& node) {
    if (node.kind != NodeKind::Name) return false;
    const std::string& name = static_cast<const Name&>(node).name;
    return std::any_of(table.schema.begin(), table.schema.end(),
                       [&](const ColumnSchema& column) { return column.name == name; });
}

static void addFunction(TableEntry& table, const std::string& string, Context& context) {
    std::vector<Value> source{Value::ofString(string)};
    const Value code = FunctionRegistry::instance().get("parseExpr").call(context, source);
    const NodeRef& node = code.as<Code>()->node;
    const UserError wrong(3,
                          fmt::format("A partition function is called as f(column, constants), but {} is not.", string),
                          "Exactly one argument is a column of the table, the others are scalars.");
    if (node->kind != NodeKind::Call) throw wrong;
    const auto& call = static_cast<const Call&>(*node);
    std::vector<Value> arguments;
    size_t columnAt = 0, columns = 0;
    for (const Argument& argument : call.arguments) {
        if (!argument.keyword.empty() || !argument.value) throw wrong;
        if (isColumn(table, *argument.value)) {
            table.partitionColumns.push_back(static_cast<const Name&>(*argument.value).name);
            columnAt = arguments.size();
            ++columns;
            arguments.emplace_back();
            continue;
        }
        arguments.push_back(evaluateCode(argument.value, context));
        if (!arguments.back().isScalar()) throw wrong;
    }
    if (columns != 1) throw wrong;
    const Value function = evaluateCode(call.callee, context);
    if (!function.isFunction()) throw wrong;
    table.partitionFunctions.push_back(std::make_shared<PartitionFunction>(string, Ref<Function>(&function.function()),
                                                                           std::move(arguments), columnAt));
}

void setPartitionColumns(TableEntry& table, const std::vector<std::string>& given, Context& context) {
    bool anyFunction = false;
    for (const std::string& string : given) {
        if (string.find('(') != std::string::npos) {
            addFunction(table, string, context);
            anyFunction = true;
        } else {
            table.partitionColumns.push_back(string);
            table.partitionFunctions.push_back(nullptr);
        }
    }
    if (!anyFunction) table.partitionFunctions.clear();
}

}  // namespace pelorus
