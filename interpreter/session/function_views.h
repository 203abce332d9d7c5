// FunctionViews keeps functions of scripts in the metadata store: they are known to all sessions and all nodes, and run
// with the rights of the user who made them.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/meta_store.h"
#include "common/thread/mutex.h"
#include "interpreter/session/stored_function.h"
#include "runtime/function/context.h"

namespace pelorus {

// One view at one revision. Running calls keep it alive when its name is dropped. Thread-safe.
class FunctionView {
public:
    // Reads the header of a stored view; its function is compiled at the first call. Throws UserError for malformed
    // bytes.
    FunctionView(std::string name, std::string stored, uint64_t revision);
    ~FunctionView();
    FunctionView(const FunctionView&) = delete;
    FunctionView& operator=(const FunctionView&) = delete;

    // Returns the function, with those that it calls. Throws UserError when this version cannot read it.
    Ref<Function> function() const;

    const std::string name;
    std::string owner;
    std::string source;
    int64_t createdMillis = 0;
    const uint64_t revision;

private:
    std::string stored_;
    size_t functionAt_ = 0;  // offset of the function in stored_
    mutable Mutex mutex_;
    mutable StoredFunction compiled_ GUARDED_BY(mutex_);
};

// All views of the metadata store, by name. The store's watch reports the changes of all nodes. A service of the
// process; thread-safe.
class FunctionViews {
public:
    // Returns the process's store; null when there is none yet and `create` is false: a look-up of an unknown name
    // makes no database.
    using FindStore = std::function<MetaStore*(bool create)>;
    explicit FunctionViews(FindStore findStore) : findStore_(std::move(findStore)) {}
    ~FunctionViews() { close(); }

    // Finds `f`, `ns::f` or `::f`, which is `f`; null when there is none, or the store cannot be opened. O(1).
    std::shared_ptr<const FunctionView> find(std::string_view name);
    // Returns all views in the order of their names. Throws Error when the store cannot be read.
    std::vector<std::shared_ptr<const FunctionView>> all();

    // Stores closures under these names, all or none. Throws UserError when a name is taken, or a function cannot be
    // kept.
    void add(const std::vector<std::pair<std::string, Ref<Function>>>& functions, const std::string& owner);
    // Removes these views, all or none. Throws UserError when one was changed meanwhile.
    void drop(const std::vector<std::shared_ptr<const FunctionView>>& views);

    // Ends the watch of the store, which may be destroyed afterwards. Later calls find nothing.
    void close();

private:
    using Views = std::unordered_map<std::string, std::shared_ptr<const FunctionView>>;

    MetaStore& store();
    bool isLoaded(bool create);
    void apply(const std::vector<MetaChange>& changes);

    const FindStore findStore_;
    Mutex loading_;  // held while the store is opened and read; orders that, and guards the two members below
    std::unique_ptr<MetaStore::Watch> watch_ GUARDED_BY(loading_);
    bool isClosed_ GUARDED_BY(loading_) = false;
    std::atomic<bool> isLoaded_{false};
    Mutex mutex_;
    Views views_ GUARDED_BY(mutex_);
    std::map<std::string, uint64_t> applied_ GUARDED_BY(mutex_);  // name to revision of the newest change, removals too
};

}  // namespace pelorus
