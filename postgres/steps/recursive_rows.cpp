#include "postgres/steps/recursive_rows.h"

#include <unordered_set>

#include "postgres/sql_error.h"
#include "postgres/steps/set_operations.h"
#include "runtime/table/table.h"

namespace pelorus::postgres {

namespace {

constexpr int64_t kMaxRounds = 1'000'000;
constexpr int64_t kMaxRows = 100'000'000;

// Returns the rows that were not met before.
Value newRows(const Value& rows, std::unordered_set<std::string>& known) {
    const MemoryTable& table = *rows.table().asMemory();
    std::vector<int32_t> kept;
    for (int64_t row = 0; row < table.rowCount(); ++row)
        if (known.insert(rowKey(table, row)).second) kept.push_back(static_cast<int32_t>(row));
    if (static_cast<int64_t>(kept.size()) == table.rowCount()) return rows;
    return Value::of(Ref<Table>(table.gather(kept.data(), static_cast<int64_t>(kept.size()))));
}

}  // namespace

Value recursiveRows(const RecursiveRows& recursion, const StepScope& scope, Context& context) {
    std::unordered_set<std::string> known;
    const auto taken = [&](const Value& rows) { return recursion.isAll ? rows : newRows(rows, known); };
    std::vector<Value> parts = {taken(scope.get(recursion.base))};
    int64_t rows = parts[0].table().rowCount();
    for (int64_t round = 0; parts.back().table().rowCount() > 0; ++round) {
        context.checkCancelled();
        if (round == kMaxRounds || rows > kMaxRows)
            throw SqlError(sql_state::kProgramLimit,
                           "A recursive query has at most 1,000,000 rounds and 100,000,000 rows.", -1,
                           "Give the recursive term a condition that ends it.");
        StepScope inside(&scope);
        inside.set(recursion.working, parts.back());
        runSteps(recursion.steps, inside, context);
        parts.push_back(taken(inside.get(recursion.next)));
        rows += parts.back().table().rowCount();
    }
    return stackedRows(parts);
}

}  // namespace pelorus::postgres
