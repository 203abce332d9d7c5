#include "devtools/workbench/result_store.h"

#include <algorithm>

#include "devtools/lsp/feature.h"
#include "presentation/chart/chart.h"
#include "presentation/view/view.h"
#include "runtime/value/print.h"

namespace pelorus {

StoredResult ResultStore::keep(const Value& value) {
    std::shared_ptr<ResultGrid> grid = ResultGrid::of(value);
    StoredResult oldest;  // freed after the lock is released
    const MutexLock lock(mutex_);
    if (results_.size() >= kMaxResults) {
        oldest = std::move(results_.front());
        results_.pop_front();
    }
    return results_.emplace_back(StoredResult{++lastHandle_, value, std::move(grid)});
}

StoredResult ResultStore::get(int64_t handle) const {
    const MutexLock lock(mutex_);
    const auto found = std::find_if(results_.begin(), results_.end(),
                                    [&](const StoredResult& result) { return result.handle == handle; });
    if (found == results_.end())
        throw RequestError(kRequestFailed, "This result is no longer kept; run the script again.");
    return *found;
}

void ResultStore::release(int64_t handle) {
    std::list<StoredResult> released;
    const MutexLock lock(mutex_);
    for (auto result = results_.begin(); result != results_.end(); ++result) {
        if (result->handle != handle) continue;
        released.splice(released.begin(), results_, result);
        return;
    }
}

void ResultStore::clear() {
    std::list<StoredResult> released;
    const MutexLock lock(mutex_);
    released.swap(results_);
}

Json describeResult(const Value& value, ResultStore& store) {
    Json description = {{"type", typeString(value)}};
    const auto text = [&] {
        ViewOptions options;
        constexpr int kWidth = 120;
        constexpr int64_t kRows = 40;
        options.width = kWidth;
        options.rows = kRows;
        return viewString(value, options);
    };
    if (value.isChart()) {
        readChart(value);  // refuses one that could not be drawn
        description["kind"] = "chart";
        description["handle"] = store.keep(value).handle;
        return description;
    }
    if (value.isScalar() || value.isPair()) {
        description["kind"] = "text";
        description["text"] = text();
        return description;
    }
    const StoredResult stored = store.keep(value);
    if (!stored.grid) {
        description["kind"] = "text";
        description["text"] = text();
        store.release(stored.handle);
        return description;
    }
    description["kind"] = "grid";
    description["handle"] = stored.handle;
    description["rows"] = stored.grid->rowCount();
    description["columns"] = stored.grid->columns();
    // Short ones are read at a glance.
    constexpr int64_t kShort = 20;
    if (stored.grid->rowCount() <= kShort) description["text"] = text();
    return description;
}

}  // namespace pelorus
