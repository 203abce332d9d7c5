#include "postgres/steps/point_select.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/error.h"
#include "runtime/append/indexed_snapshot.h"
#include "runtime/append/row_access.h"
#include "runtime/table/table.h"
#include "runtime/value/vector.h"
#include "sql/change/bound_change.h"
#include "sql/change/row_locks.h"
#include "sql/execution/query_snapshot.h"

namespace pelorus::postgres {

namespace {

// Columns of few rows of a table, which they are not all of.
class FewRows {
public:
    // `values` are the columns at these places of the table, whose other columns nobody asks for: one of those that are
    // there stands for each.
    FewRows(const Table& table, const std::vector<int>& places, std::vector<Value> values) {
        std::vector<Value> columns(table.columns().size(), values.front());
        for (size_t i = 0; i < places.size(); ++i) columns[static_cast<size_t>(places[i])] = std::move(values[i]);
        std::vector<std::string> names;
        for (const ColumnSchema& column : table.columns()) names.push_back(column.name);
        rows_ = makeRef<MemoryTable>(std::move(names), std::move(columns));
    }

    const Ref<MemoryTable>& rows() const { return rows_; }
    // Returns a column of the rows at the positions.
    Value column(const std::string& name, const std::vector<int32_t>& positions) const {
        const Value& all = *rows_->column(name);
        const auto count = static_cast<int64_t>(positions.size());
        return count == rows_->rowCount() ? all : gatherElements(all, positions.data(), count);
    }

private:
    Ref<MemoryTable> rows_;
};

}  // namespace

std::shared_ptr<const PointSelect> pointSelectOf(const Query& query) {
    if (query.where.empty() || !query.table || query.table->kind != NodeKind::Name) return nullptr;
    auto select = std::make_shared<PointSelect>();
    select->table = static_cast<const Name&>(*query.table).name;
    if (!query.tableAlias.empty() && query.tableAlias != select->table) return nullptr;
    select->picked = PickedRows::of(query, select->table);
    if (!select->picked) return nullptr;
    select->condition = keptCondition(query);
    return select->condition ? select : nullptr;
}

std::optional<Value> selectFew(const PointSelect& select, const StepScope& scope, Context& context) {
    Value opened;
    if (!scope.lookup(select.table, opened) || !opened.isTable()) return {};
    const PartitionedTable* const table = opened.table().asPartitioned();
    if (table == nullptr || dynamic_cast<const RowAccess*>(table) == nullptr) return {};
    // Before anything is bound: the columns of the table are those of the snapshot while it lives.
    const std::shared_ptr<TableSnapshot> snapshot = snapshotForQuery(*table, context.principal());
    const auto* const indexed = dynamic_cast<const IndexedSnapshot*>(snapshot.get());
    if (indexed == nullptr) return {};
    try {
        const KeptChange::Run run = select.condition->prepareRun(opened, context);
        if (!run.bound || !run.bound->change->isOf(table->columns())) return {};
        const BoundChange& condition = *run.bound->change;
        std::vector<int> places = condition.readColumns();
        for (const std::string& name : select.picked->columns()) {
            const int place = table->findColumn(name);
            if (place < 0) return {};
            if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
        }
        std::optional<std::vector<Value>> values =
            indexed->readFew(condition.constraints(run.parameters, context), places);
        if (!values) return {};
        const FewRows few(*table, places, std::move(*values));
        const std::vector<int32_t> matched = condition.positions(few.rows(), run.parameters, context);
        return select.picked->pick([&](const std::string& name) { return few.column(name, matched); },
                                   static_cast<int64_t>(matched.size()), scope);
    } catch (const UserError&) {
        context.checkCancelled();
        return {};  // the engine reports it, unless && or || skip it
    }
}

}  // namespace pelorus::postgres
