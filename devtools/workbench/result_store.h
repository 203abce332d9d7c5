// ResultStore keeps the newest results of a workbench under handles.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>

#include "common/thread/mutex.h"
#include "devtools/workbench/result_grid.h"

namespace pelorus {

// A result that an editor may request again: its value, and its grid, which is null for values without rows.
struct StoredResult {
    int64_t handle = 0;
    Value value;
    std::shared_ptr<ResultGrid> grid;
};

// The results of one workbench. Thread-safe; the grids are not.
class ResultStore {
public:
    static constexpr size_t kMaxResults = 32;

    // Adds a result and returns it with its handle; removes the oldest one when there are more than kMaxResults.
    StoredResult keep(const Value& value);
    // Returns the result of a handle. Throws RequestError when it is not stored any more.
    StoredResult get(int64_t handle) const;
    void release(int64_t handle);
    void clear();

private:
    mutable Mutex mutex_;
    std::list<StoredResult> results_ GUARDED_BY(mutex_);  // the oldest first
    int64_t lastHandle_ GUARDED_BY(mutex_) = 0;
};

// Returns the description of a value for an editor: type, form, size, and either a handle with columns or the printed
// value.
nlohmann::json describeResult(const Value& value, ResultStore& store);

}  // namespace pelorus
