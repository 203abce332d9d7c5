// Tables that a function refills when they have expired.
#include <fmt/format.h>

#include <chrono>

#include "common/error.h"
#include "common/thread/mutex.h"
#include "runtime/function/function.h"
#include "runtime/table/computed_table.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

class CachedTable final : public ComputedTable {
public:
    using Clock = std::chrono::steady_clock;

    CachedTable(Ref<Function> update, std::chrono::seconds retention, Context& context)
        : update_(std::move(update)), retention_(retention), rows_(fresh(context)), schema_(rows_->columns()) {}

    const TableSchema& columns() const override { return schema_; }
    int64_t rowCount() const override {
        const MutexLock guard(mutex_);
        return rows_->rowCount();
    }
    Ref<MemoryTable> rows(Context& context) override {
        const MutexLock guard(mutex_);
        if (Clock::now() - since_ >= retention_) {
            Ref<MemoryTable> now = fresh(context);
            for (size_t c = 0; c < schema_.size(); ++c) {
                const bool same = now->columnCount() == columnCount() && now->columns()[c].name == schema_[c].name &&
                                  now->columns()[c].type == schema_[c].type;
                if (!same) throw UserError("updateFunc gave other columns than before.");
            }
            rows_ = std::move(now);
        }
        return rows_;
    }

private:
    // Copies the table that the function returns, since the script may change it afterwards.
    Ref<MemoryTable> fresh(Context& context) EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        std::vector<Value> none;
        const Value given = update_->call(context, none);
        const Ref<MemoryTable> table = tableToRead(given);
        if (table == nullptr) refuseArgument(0, "The result of updateFunc", "a table in memory", given);
        since_ = Clock::now();
        return table->copy();
    }

    const Ref<Function> update_;
    const std::chrono::seconds retention_;
    mutable Mutex mutex_;
    Clock::time_point since_ GUARDED_BY(mutex_);
    Ref<MemoryTable> rows_ GUARDED_BY(mutex_);
    const TableSchema schema_;
};

Value cachedTableKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isFunction()) refuseArgument(0, "updateFunc", "a function without parameters", arguments[0]);
    const int64_t seconds = integerArgument(arguments, 1, "retentionSeconds");
    if (seconds < 1) throw UserError(1, fmt::format("retentionSeconds must be at least 1, but it is {}.", seconds));
    Ref<Function> update(&arguments[0].function());
    return Value::of(Ref<Table>(
        makeRef<CachedTable>(std::move(update), std::chrono::seconds(std::min<int64_t>(seconds, 1 << 30)), context)));
}

}  // namespace

void registerCachedTables(FunctionRegistry& registry) {
    registry.add(
        "cachedTable(updateFunc, retentionSeconds)", cachedTableKernel,
        {.summary = "A table of the rows that updateFunc gave; a query that meets it after retentionSeconds or "
                    "more calls the function again.",
         .parameters = "updateFunc: a function without parameters that gives a table",
         .units = "seconds",
         .errors = "updateFunc gives no table, or other columns than before.",
         .example = "def rates() { return table(1 2 as id) }; rows(cachedTable(rates, 60)) -> 2"},
        {.effect = Effect::Writes});
}

}  // namespace pelorus
