#include "postgres/steps/picked_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "runtime/kernel/sort/row_order.h"
#include "runtime/table/table.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

bool isPlain(const Query& query) {
    return query.verb == QueryVerb::Select && !query.distinct && query.joins.empty() && query.groupBy.empty() &&
           query.grouping == GroupKind::None && !query.having && !query.top && query.unions.empty() &&
           query.with.empty() && query.csort.empty() && query.hint == 0 && !query.map;
}

// Returns whether a limit is absent, a constant, or a value of the scope.
bool isReadable(const NodeRef& limit) {
    return !limit || limit->kind == NodeKind::Constant || limit->kind == NodeKind::Name;
}

// Returns the number that a limit has in this run, `otherwise` where there is none; nothing for what is no number.
std::optional<int64_t> numberIn(const NodeRef& limit, const StepScope& scope, int64_t otherwise) {
    if (!limit) return otherwise;
    Value value;
    if (limit->kind == NodeKind::Constant) {
        value = static_cast<const Constant&>(*limit).value;
    } else if (!scope.lookup(static_cast<const Name&>(*limit).name, value)) {
        return {};
    }
    const bool isWhole = value.type() == Type::Int || value.type() == Type::Long;
    if (!value.isScalar() || !isWhole || value.isNull() || value.asLong() < 0) return {};
    return value.asLong();
}

}  // namespace

std::string columnOf(const NodeRef& code, const std::string& table) {
    if (code->kind != NodeKind::Member) return "";
    const auto& member = static_cast<const Member&>(*code);
    const bool isOwn = member.object->kind == NodeKind::Name && static_cast<const Name&>(*member.object).name == table;
    return isOwn ? member.name : "";
}

void PickedRows::noteColumn(const std::string& name) {
    if (std::find(columns_.begin(), columns_.end(), name) == columns_.end()) columns_.push_back(name);
}

std::shared_ptr<const PickedRows> PickedRows::of(const Query& query, const std::string& table) {
    if (!isPlain(query) || query.items.empty() || !isReadable(query.limit) || !isReadable(query.offset)) return nullptr;
    auto picked = std::make_shared<PickedRows>();
    for (const SelectItem& item : query.items) {
        if (!item.value || item.aliases.size() != 1) return nullptr;
        std::string column = columnOf(item.value, table);
        if (column.empty()) return nullptr;
        picked->noteColumn(column);
        picked->outputs_.push_back({std::move(column), item.aliases[0]});
    }
    for (const OrderItem& item : query.orderBy) {
        std::string column = columnOf(item.value, table);
        if (item.value->kind == NodeKind::Name) {
            const auto isNamed = [&](const Output& output) {
                return output.name == static_cast<const Name&>(*item.value).name;
            };
            const auto output = std::find_if(picked->outputs_.begin(), picked->outputs_.end(), isNamed);
            if (output != picked->outputs_.end()) column = output->column;
        }
        if (column.empty()) return nullptr;
        picked->noteColumn(column);
        picked->keys_.push_back({std::move(column), item});
    }
    picked->limit_ = query.limit;
    picked->offset_ = query.offset;
    return picked;
}

std::vector<int32_t> PickedRows::order(const Columns& columns, int64_t rows) const {
    if (!keys_.empty() && rows > 1) {
        std::vector<OrderKey> keys;
        for (const Key& key : keys_)
            keys.push_back({columns(key.column), key.item.ascending, key.item.nullsGiven, key.item.nullsFirst});
        return sortPositions(keys, rows);
    }
    std::vector<int32_t> positions(static_cast<size_t>(rows));
    std::iota(positions.begin(), positions.end(), 0);
    return positions;
}

std::optional<Value> PickedRows::pick(const Columns& columns, int64_t rows, const StepScope& scope) const {
    const std::optional<int64_t> limit = numberIn(limit_, scope, rows);
    const std::optional<int64_t> offset = numberIn(offset_, scope, 0);
    if (!limit || !offset) return {};
    const int64_t begin = std::min(*offset, rows);
    const int64_t count = std::min(*limit, rows - begin);
    const bool isWhole = keys_.empty() && count == rows;
    std::vector<int32_t> positions;
    if (!isWhole) {
        positions = order(columns, rows);
        positions = {positions.begin() + begin, positions.begin() + begin + count};
    }
    std::vector<std::string> names;
    std::vector<Value> values;
    for (const Output& output : outputs_) {
        names.push_back(output.name);
        const Value column = columns(output.column);
        values.push_back(isWhole ? column : gatherElements(column, positions.data(), count));
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(names), std::move(values))));
}

}  // namespace pelorus::postgres
