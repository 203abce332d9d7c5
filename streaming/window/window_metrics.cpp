#include "streaming/window/window_metrics.h"

#include <fmt/format.h>

#include "common/error.h"
#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "sql/execute.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"
#include "sql/expression/constants.h"

namespace pelorus {

static constexpr const char* kWindowColumn = " window";

WindowMetrics::WindowMetrics(const NodeList& metrics, const TableSchema& input, Context& context)
    : query_(makeRef<Query>(SourcePosition{})) {
    for (const NodeRef& given : metrics) {
        SelectItem item{given, {}, {}};
        if (given->kind == NodeKind::Alias) {
            item.value = static_cast<const Alias&>(*given).value;
            item.aliases = static_cast<const Alias&>(*given).names;
        }
        requireKnownNames(*item.value, input, context);
        Value constant;
        if (!holdsAggregate(*item.value, context) && !constantValue(*item.value, input, context, constant))
            throw UserError(fmt::format("The metric {} is no aggregate. RefId: S03014", toSource(*item.value)),
                            "A window gives one row: use last, first, sum and the like.");
        if (constant.isScalar() && !constant.isVoid()) item.value = makeRef<Constant>(constant, item.value->position);
        if (item.aliases.empty()) item.aliases = {fmt::format(" m{}", query_->items.size())};
        query_->items.push_back(std::move(item));
    }
    query_->grouping = GroupKind::Group;
    query_->groupBy.push_back({makeRef<Name>(kWindowColumn, SourcePosition{}), {}, {}});
    const Ref<MemoryTable> none = grouped(context, *MemoryTable::empty(input), {});
    for (int c = 1; c < none->columnCount(); ++c) results_.push_back(none->columns()[static_cast<size_t>(c)]);
}

Ref<MemoryTable> WindowMetrics::grouped(Context& context, const MemoryTable& rows,
                                        const std::vector<int32_t>& windowOfRow) const {
    return tableToRead(executeQuery(*queryOver(numbered(rows, windowOfRow)), context));
}

Ref<MemoryTable> WindowMetrics::numbered(const MemoryTable& rows, const std::vector<int32_t>& windowOfRow) {
    Ref<MemoryTable> source = rows.copy();
    source->setColumn(kWindowColumn, Value::of(Vector::of(Type::Int, windowOfRow)));
    return source;
}

Ref<Query> WindowMetrics::queryOver(const Ref<MemoryTable>& numbered) const {
    Ref<Query> query = copyQuery(*query_);
    query->table = makeRef<Constant>(Value::of(Ref<Table>(numbered)), SourcePosition{});
    return query;
}

std::vector<Value> WindowMetrics::compute(Context& context, const MemoryTable& rows,
                                          const std::vector<int32_t>& windowOfRow, int64_t windows) const {
    const Ref<MemoryTable> groups = grouped(context, rows, windowOfRow);
    std::vector<int32_t> places(static_cast<size_t>(windows), -1);
    const Vector& numbers = groups->column(0).vector();
    for (int64_t i = 0; i < numbers.size(); ++i)
        places[static_cast<size_t>(numbers.asLong(i))] = static_cast<int32_t>(i);
    std::vector<Value> results;
    for (int c = 1; c < groups->columnCount(); ++c)
        results.push_back(gatherElements(groups->column(c), places.data(), windows));
    return results;
}

}  // namespace pelorus
