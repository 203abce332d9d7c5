#include "postgres/translate/row_sets.h"

#include <algorithm>

#include "postgres/functions/array_text.h"
#include "postgres/functions/conversions.h"
#include "postgres/sql_error.h"
#include "postgres/translate/function_calls.h"
#include "postgres/translate/table_functions.h"
#include "runtime/table/table.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

bool isVector(Oid type) {
    return type == oid::kInt2Vector || type == oid::kOidVector;
}

}  // namespace

bool returnsRows(const std::string& function) {
    return function == "unnest" || function == "_pg_expandarray" || function == "generate_subscripts" ||
           function == "generate_series" || function == "pg_partition_ancestors";
}

RowSet planRowSet(const std::string& function, std::vector<Typed> arguments, int place, const ConversionHost& host) {
    const auto code = [&](const char* builtin, NodeList codes) {
        return typedCode(callNode(builtin, std::move(codes)), oid::kInt4Array, -1, place);
    };
    if (function == "generate_series") {
        if (arguments.size() != 2 || !isIntegerType(arguments[0].type) || !isIntegerType(arguments[1].type))
            throw SqlError(sql_state::kFeatureNotSupported,
                           "generate_series in a select list takes two integers; write it in FROM.", place);
        const Oid type = commonType(arguments[0].type, arguments[1].type);
        return {code("pgSeriesArray", {arguments[0].code, arguments[1].code}), type == oid::kInt2 ? oid::kInt4 : type};
    }
    if (function == "pg_partition_ancestors") {  // no table is a partition of another, so none has ancestors
        if (arguments.size() != 1) refuseFunction(function, arguments, place);
        return {typedConstant(Value::ofString("{}"), oid::kInt4Array), oid::kRegclass};
    }
    const OidFacts* facts = arguments.empty() ? nullptr : oidFacts(arguments[0].type);
    if (facts == nullptr || facts->category != 'A' || facts->element == 0) refuseFunction(function, arguments, place);
    if (function == "_pg_expandarray") {
        Typed pairs = arguments[0];
        pairs.code = callNode("pgExpandedArray", {pairs.code});
        return {std::move(pairs), oid::kRecord};
    }
    if (function == "unnest") {
        if (arguments.size() != 1) refuseFunction(function, arguments, place);
        Typed array = arguments[0];
        if (isVector(array.type)) array.code = callNode("pgVectorArray", {array.code});
        return {std::move(array), facts->element};
    }
    if (arguments.size() != 2) refuseFunction(function, arguments, place);
    const Typed dimension = convert(arguments[1], oid::kInt4, -1, Conversion::Implicit, host);
    const NodeRef isFromZero = constantNode(Value::ofBool(isVector(arguments[0].type)));
    return {code("pgSubscripts", {arguments[0].code, dimension.code, isFromZero}), oid::kInt4};
}

Value expandedRows(const Value& rows, const std::vector<SetColumn>& sets, Context& context) {
    const MemoryTable& table = *rows.table().asMemory();
    std::vector<int64_t> positions;
    std::vector<Ref<Vector>> columns;
    for (const SetColumn& set : sets) columns.push_back(Vector::make(oidFacts(set.element)->kept, 0));
    for (int64_t row = 0; row < table.rowCount(); ++row) {
        context.checkCancelled();
        std::vector<std::vector<ArrayItem>> items;
        size_t longest = 0;
        for (const SetColumn& set : sets) {
            const Value array = table.column(set.name)->at(row);
            items.push_back(array.isNull() ? std::vector<ArrayItem>() : arrayItems(textOfValue(array)));
            longest = std::max(longest, items.back().size());
        }
        if (static_cast<int64_t>(positions.size() + longest) > kMaxFunctionRows)
            throw SqlError(sql_state::kProgramLimit, "A select list gives at most 100,000,000 rows.");
        for (size_t i = 0; i < longest; ++i) {
            positions.push_back(row);
            for (size_t k = 0; k < sets.size(); ++k) {
                const bool isThere = i < items[k].size() && items[k][i];
                columns[k]->append(isThere ? parseText(*items[k][i], sets[k].element, -1)
                                           : Value::nullOf(columns[k]->type()));
            }
        }
    }
    std::vector<std::string> names;
    std::vector<Value> values;
    for (int i = 0; i < table.columnCount(); ++i) {
        const std::string& name = table.columns()[static_cast<size_t>(i)].name;
        const auto set = std::find_if(sets.begin(), sets.end(), [&](const SetColumn& one) { return one.name == name; });
        names.push_back(name);
        values.push_back(set != sets.end() ? Value::of(columns[static_cast<size_t>(set - sets.begin())])
                                           : gatherElements(table.column(i), positions.data(),
                                                            static_cast<int64_t>(positions.size())));
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(names), std::move(values))));
}

}  // namespace pelorus::postgres
